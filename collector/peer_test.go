package collector

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/fixtures/wiretest"
)

// dial connects as a traced process would, from inside the test.
func dial(t *testing.T, r *recording) *net.UnixConn {
	t.Helper()
	conn, err := wiretest.Dial(r.Address(), wiretest.Hello())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// sendRegion makes a region and sends it.
func sendRegion(t *testing.T, conn *net.UnixConn) (wiretest.Region, *os.File) {
	t.Helper()
	return sendRegionWith(t, conn, wire.ClockNanoseconds, wire.ClockSample{Ticks: 1, Nanos: 1})
}

func sendRegionWith(t *testing.T, conn *net.UnixConn, clock wire.ClockKind, first wire.ClockSample) (wiretest.Region,
	*os.File) {
	t.Helper()
	memory, err := wiretest.Memory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { memory.Close() })
	mapped, err := wiretest.Map(memory)
	if err != nil {
		t.Fatal(err)
	}
	region, err := wiretest.Format(mapped, os.Getpid(), clock, 0, 0, first)
	if err == nil {
		err = wiretest.SendRings(conn, memory)
	}
	if err != nil {
		t.Fatal(err)
	}
	return region, memory
}

// closedByCollector waits until the other end has closed the connection.
func closedByCollector(t *testing.T, conn *net.UnixConn) {
	t.Helper()
	conn.SetReadDeadline(time.Now().Add(3 * time.Minute))
	if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection was not closed: %v", err)
	}
}

// seen is an Observer that reports when records have arrived.
type seen struct {
	Nobody
	records chan struct{}
}

func (s seen) Records(tracefile.ProcessIndex, uint16, []wire.Record) {
	select {
	case s.records <- struct{}{}:
	default:
	}
}

// A process that was waited for is gone, whoever has noticed.
func TestGone(t *testing.T) {
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if processGone(cmd.Process.Pid) || processGone(0) {
		t.Error("a process that lives, or one that cannot be seen, is gone")
	}
	cmd.Process.Kill()
	cmd.Wait()
	if !processGone(cmd.Process.Pid) {
		t.Error("a process that was waited for is not gone")
	}
}
