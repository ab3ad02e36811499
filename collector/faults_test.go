package collector

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/collector/wire/wiretest"
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

func sendRegionWith(t *testing.T, conn *net.UnixConn, clock wire.ClockKind, first wire.ClockSample) (wiretest.Region, *os.File) {
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
	conn.SetReadDeadline(time.Now().Add(5 * time.Second))
	if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection was not closed: %v", err)
	}
}

// A bad frame ends its own connection with a reason, and costs the other process nothing.
func TestBadFrames(t *testing.T) {
	records := wire.AppendRecord(nil, wire.Record{Begin: 1, End: 2, Call: callCommit})
	for name, c := range map[string]struct {
		bytes []byte
		log   string
	}{
		"not a frame":            {[]byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"), "starts with 0x20544547"},
		"unknown kind":           {wiretest.Frame(77, 0, 0, nil), "unknown kind 77"},
		"ring beyond the last":   {wiretest.Frame(wire.FrameRecords, wire.RingCount, 0, records), "ring 256"},
		"part of a record":       {wiretest.Frame(wire.FrameRecords, 0, 0, records[:31]), "length of 31"},
		"longer than allowed":    {wire.AppendFrameHeader(nil, wire.FrameHeader{Kind: wire.FrameFacts, Length: 1 << 30}), "more than the"},
		"position out of reach":  {wiretest.Frame(wire.FrameRecords, 0, 1<<63, records), "beyond every ring"},
		"second hello":           {wiretest.Frame(wire.FrameHello, 0, 0, wire.AppendHello(nil, wiretest.Hello())), "in the middle"},
		"rings without memory":   {wiretest.Frame(wire.FrameRings, 0, 0, nil), "without a descriptor"},
		"a fact that is none":    {wiretest.Frame(wire.FrameFacts, 0, 0, bytes.Repeat([]byte{0xff}, 24)), "fact"},
		"gap that is never full": {bytes.Repeat(wiretest.Frame(wire.FrameRecords, 0, 5, bytes.Repeat(records, wire.RecordsPerRing)), 5), "did not"},
	} {
		t.Run(name, func(t *testing.T) {
			r := startRecording(t)
			mode := task{Threads: 1, PerStep: 50, Pause: time.Millisecond, Calls: 2000, Drain: "yes"}
			cmd, truth := mode.start(t, r.Address())
			conn := dial(t, r)
			conn.SetWriteDeadline(time.Now().Add(5 * time.Second))
			conn.Write(c.bytes)
			closedByCollector(t, conn)
			r.wait(cmd)
			trace, _ := r.finish()
			if log := r.log.String(); !strings.Contains(log, c.log) || strings.Count(log, "\n") != 1 {
				t.Errorf("log %q does not say %q once", log, c.log)
			}
			for i, p := range trace.Processes() {
				if p.PID == cmd.Process.Pid {
					checkThreads(t, trace, tracefile.ProcessIndex(i), truth, 1, false)
				} else if !strings.Contains(p.End.Note, c.log) {
					t.Errorf("note %q", p.End.Note)
				}
			}
		})
	}
}

// What does not say hello is no process: it is logged, unless it only looked whether somebody listens.
func TestBadHellos(t *testing.T) {
	old := wiretest.Hello()
	old.Version = 99
	for name, c := range map[string]struct {
		bytes []byte
		log   string
	}{
		"nothing":       {nil, ""},
		"half a header": {[]byte("MTRF"), "unexpected EOF"},
		"records first": {wiretest.Frame(wire.FrameRecords, 0, 0, nil), "not a hello"},
		"other version": {wiretest.Frame(wire.FrameHello, 0, 0, wire.AppendHello(nil, old)), "wire version 99"},
		"no process id": {wiretest.Frame(wire.FrameHello, 0, 0, []byte("version=1\x00")), "no process id"},
	} {
		t.Run(name, func(t *testing.T) {
			r := startRecording(t)
			conn, err := net.Dial("unix", r.Address())
			if err != nil {
				t.Fatal(err)
			}
			conn.Write(c.bytes)
			conn.(*net.UnixConn).CloseWrite()
			closedByCollector(t, conn.(*net.UnixConn))
			trace, result := r.finish()
			if log := r.log.String(); !strings.Contains(log, c.log) || c.log == "" && log != "" {
				t.Errorf("log %q", log)
			}
			if len(trace.Processes()) != 0 || result.Processes != 0 {
				t.Errorf("%d processes", len(trace.Processes()))
			}
		})
	}
}

// A connection that says nothing must not hold up the end.
func TestSilentConnection(t *testing.T) {
	r := startRecording(t)
	conn, err := net.Dial("unix", r.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	r.finish()
}

// A process that is done before its connection was accepted is in the trace all the same.
func TestConnectedBeforeServe(t *testing.T) {
	r := &recording{path: filepath.Join(t.TempDir(), "t.mtrace"), tb: t}
	w, err := tracefile.Create(r.path, tracefile.Info{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Collector, err = New(Options{Writer: w}); err != nil {
		t.Fatal(err)
	}
	cmd, truth := task{Threads: 2, Calls: 1000, Drain: "no"}.start(t, r.Address())
	r.wait(cmd)
	trace, _ := r.finish()
	if len(trace.Processes()) != 1 {
		t.Fatalf("%d processes", len(trace.Processes()))
	}
	checkThreads(t, trace, 0, truth, 2, false)
	if end := trace.Processes()[0].End; !end.ExitKnown {
		t.Errorf("end %+v", end)
	}
}

// seen is an Observer that says when records have come.
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

// A file that is shortened under a mapping raises SIGBUS in whoever reads it. The prototype's collector died of it.
func TestMemoryMadeShorter(t *testing.T) {
	observer := seen{records: make(chan struct{}, 1)}
	r := startObserved(t, observer)
	conn := dial(t, r)
	region, memory := sendRegion(t, conn)
	thread, _ := region.Thread(firstThread, 1)
	thread.Record(wire.Record{Begin: 1, End: 2, Call: callCommit})
	if _, _, err := wiretest.DrainRing(conn, thread.Index, thread.Ring); err != nil {
		t.Fatal(err)
	}
	<-observer.records
	if err := memory.Truncate(wire.PageSize); err != nil {
		t.Skip("shared memory cannot be shortened here: ", err)
	}
	closedByCollector(t, conn)
	trace, result := r.finish()
	if note := trace.Processes()[0].End.Note; !strings.Contains(note, "made shorter") || len(result.Warnings) != 1 {
		t.Errorf("note %q, result %+v", note, result)
	}
	if n := trace.Streams()[0].Records; n != 2 {
		t.Errorf("%d records were kept", n)
	}
}

// What is no region is refused with a reason.
func TestBadMemory(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*os.File) error
		log    string
	}{
		"too small": {func(f *os.File) error { return f.Truncate(4096) }, "4096 bytes"},
		"zeros":     {func(f *os.File) error { return nil }, "starts with 0x0000000000000000"},
		"version": {func(f *os.File) error {
			_, err := f.WriteAt(binary.LittleEndian.AppendUint64(nil, wire.RegionMagic), wire.RegionMagicOffset)
			return err
		}, "version 0"},
	} {
		r := startRecording(t)
		conn := dial(t, r)
		memory, err := wiretest.Memory()
		if err == nil {
			err = c.change(memory)
		}
		if err == nil {
			err = wiretest.SendRings(conn, memory)
		}
		if err != nil {
			t.Fatal(err)
		}
		memory.Close()
		closedByCollector(t, conn)
		r.finish()
		if !strings.Contains(r.log.String(), c.log) {
			t.Errorf("%s: log %q", name, r.log.String())
		}
	}
}

// Ring headers that make no sense end the process's part, and nothing is read outside the ring.
func TestBadRingHeader(t *testing.T) {
	r := startRecording(t)
	conn := dial(t, r)
	region, memory := sendRegion(t, conn)
	thread, _ := region.Thread(firstThread, 1)
	if _, _, err := wiretest.DrainRing(conn, thread.Index, thread.Ring); err != nil {
		t.Fatal(err)
	}
	if _, err := memory.WriteAt(binary.LittleEndian.AppendUint64(nil, 1<<40), wire.PageSize+wire.RingHeadOffset); err != nil {
		t.Fatal(err)
	}
	closedByCollector(t, conn)
	trace, _ := r.finish()
	if note := trace.Processes()[0].End.Note; !strings.Contains(note, "ring 0 claims to hold") {
		t.Errorf("note %q", note)
	}
}

// Everything that is not a record or a fact of a ring comes through: the warning of a process that could not begin, clock
// samples, counters, the call a thread is inside.
func TestEverythingElse(t *testing.T) {
	r := startRecording(t)
	conn := dial(t, r)
	conn.Write(wiretest.Frame(wire.FrameFacts, 0, 0, wire.AppendFact(nil, wire.Fact{Kind: wire.FactWarning, Text: "half blind"})))
	region, _ := sendRegion(t, conn)
	conn.Write(wiretest.Frame(wire.FrameClock, 0, 0, binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 50e6), 50e6)))
	region.Sample(wire.ClockSample{Ticks: 90e6, Nanos: 90e6})
	for i, offset := range []int{wire.RegionUnringedOffset, wire.RegionUnnumberedOffset, wire.RegionNestedOffset, wire.RegionForksOffset, wire.RegionRejectedOffset} {
		region.Count(offset, uint64(i+1))
	}
	thread, _ := region.Thread(firstThread, 1)
	thread.Enter(77, 5, callWait)
	conn.Close()
	trace, result := r.finish()
	p := trace.Processes()[0]
	if len(p.Warnings) != 1 || p.Warnings[0] != "half blind" || p.Clock != wire.ClockNanoseconds {
		t.Errorf("process %+v", p)
	}
	want := []wire.ClockSample{{Ticks: 1, Nanos: 1}, {Ticks: 50e6, Nanos: 50e6}, {Ticks: 90e6, Nanos: 90e6}}
	if fmt.Sprint(p.Samples) != fmt.Sprint(want) {
		t.Errorf("samples %v", p.Samples)
	}
	e := p.End
	if e.Unringed != 1 || e.Unnumbered != 2 || e.Nested != 3 || e.Forks != 4 || e.Rejected != 5 || result.Lost != 1 {
		t.Errorf("end %+v, result %+v", e, result)
	}
	if len(e.Current) != 1 || e.Current[0] != (tracefile.CurrentCall{Thread: firstThread, Begin: 77, Object: 5, Call: callWait}) {
		t.Errorf("current %+v", e.Current)
	}
}

// A full disk ends the recording: the error is reported, what was written reads as a cut trace, the program goes on.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	if err := mountSmall(dir, 256<<10); err != nil {
		t.Skip("no small file system can be mounted here: ", err)
	}
	t.Cleanup(func() { unmount(dir) })
	path := filepath.Join(dir, "t.mtrace")
	w, err := tracefile.Create(path, tracefile.Info{})
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	c, err := New(Options{Writer: w, Log: zerolog.New(zerolog.SyncWriter(&log))})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- c.Serve(context.Background()) }()
	cmd, truth := task{Threads: 2, PerStep: 500, Pause: time.Millisecond, Drain: "yes"}.start(t, c.Address())
	select {
	case err := <-served:
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("Serve: %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("a full disk did not end the recording")
	}
	if _, err := c.Close(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Close: %v", err)
	}
	if !strings.Contains(log.String(), "cannot be written") {
		t.Errorf("log %q", log.String())
	}
	before := totalCalls(truth, 2) + atomic.LoadUint64(truth.dropped(0)) + atomic.LoadUint64(truth.dropped(1))
	time.Sleep(50 * time.Millisecond)
	if after := totalCalls(truth, 2) + atomic.LoadUint64(truth.dropped(0)) + atomic.LoadUint64(truth.dropped(1)); after == before {
		t.Error("the program stands still")
	}
	cmd.Process.Kill()
	cmd.Wait()
	trace, err := tracefile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	if cut, _ := trace.Truncated(); !cut {
		t.Error("the trace claims to be whole")
	}
	n := uint64(0)
	for _, s := range trace.Streams() {
		if err := trace.Read(s, func(records []wire.Record) error { n += uint64(len(records)); return nil }); err != nil {
			t.Error(err)
		}
	}
	if n < 10000 {
		t.Errorf("only %d records can be read", n)
	}
}

// A killed collector loses little more than a second, and the program goes on.
func TestCollectorKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.mtrace")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	collector := exec.Command(program)
	collector.Env = append(os.Environ(), "MTRACE_TEST_COLLECTOR="+path)
	out, err := collector.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := collector.Start(); err != nil {
		t.Fatal(err)
	}
	defer collector.Process.Kill()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	cmd, truth := task{Threads: 2, PerStep: 10, Pause: time.Millisecond, Drain: "yes"}.start(t, strings.TrimSpace(address))
	time.Sleep(1200 * time.Millisecond)
	aSecondAgo := totalCalls(truth, 2)
	time.Sleep(1100 * time.Millisecond)
	collector.Process.Kill()
	collector.Wait()
	trace, err := tracefile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	if cut, why := trace.Truncated(); !cut || !strings.Contains(why, "cut off") {
		t.Errorf("%v %q", cut, why)
	}
	n := uint64(0)
	for _, s := range trace.Streams() {
		if err := trace.Read(s, func(records []wire.Record) error {
			for _, r := range records {
				if r.Call == callCommit {
					n++
				}
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
	if now := totalCalls(truth, 2); n < aSecondAgo || n > now {
		t.Errorf("%d calls can be read; there were %d more than a second before the kill, %d at it", n, aSecondAgo, now)
	}
	before := totalCalls(truth, 2)
	time.Sleep(20 * time.Millisecond)
	if totalCalls(truth, 2) == before {
		t.Error("the program stands still")
	}
	cmd.Process.Kill()
	cmd.Wait()
}

// collectAlone is the process that TestCollectorKilled kills.
func collectAlone(path string) {
	w, err := tracefile.Create(path, tracefile.Info{})
	if err != nil {
		panic(err)
	}
	c, err := New(Options{Writer: w})
	if err != nil {
		panic(err)
	}
	fmt.Println(c.Address())
	c.Serve(context.Background())
}

// The directory is this user's alone, and so is the socket.
func TestPrivate(t *testing.T) {
	r := startRecording(t)
	for path, want := range map[string]os.FileMode{filepath.Dir(r.Address()): 0o700, r.Address(): 0o600} {
		if stat, err := os.Stat(path); err != nil || stat.Mode().Perm() != want {
			t.Errorf("%s: %v %v", path, stat.Mode(), err)
		}
	}
	r.finish()
	if _, err := os.Stat(filepath.Dir(r.Address())); !os.IsNotExist(err) {
		t.Errorf("the directory was left behind: %v", err)
	}
	open := t.TempDir()
	if err := os.Chmod(open, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Options{Dir: open}); err == nil || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("a directory open to others was taken: %v", err)
	}
	if _, err := New(Options{Dir: filepath.Join(t.TempDir(), strings.Repeat("x", 100))}); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("a path too long for a socket: %v", err)
	}
}

// The kernel says who connects; another user's process is refused even when it gets as far as the socket.
func TestOtherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can act as another user")
	}
	r := startRecording(t)
	for path, mode := range map[string]os.FileMode{filepath.Dir(r.Address()): 0o755, r.Address(): 0o666} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("perl", "-MIO::Socket::UNIX", "-e", "my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die $!; <$s>", r.Address())
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); errors.Is(err, exec.ErrNotFound) {
		t.Skip("no perl to connect with")
	} else if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r.finish()
	if !strings.Contains(r.log.String(), "belongs to user 65534") {
		t.Errorf("log %q", r.log.String())
	}
}

// Whatever a process sends, the collector neither panics nor hangs.
func FuzzFrames(f *testing.F) {
	record := wire.AppendRecord(nil, wire.Record{Begin: 1, End: 2, Call: callCommit, Flags: wire.HasMore})
	fact := wire.AppendFact(nil, wire.Fact{Kind: wire.FactString, Key: 1, Text: "x"})
	f.Add(wiretest.Frame(wire.FrameRecords, 0, 0, record))
	f.Add(append(wiretest.Frame(wire.FrameRecords, 3, 2, record), wiretest.Frame(wire.FrameRecords, 3, 0, append(record, record...))...))
	f.Add(append(wiretest.Frame(wire.FrameFacts, 1, 0, fact), wiretest.Frame(wire.FrameClock, 0, 0, make([]byte, 32))...))
	f.Add(wiretest.Frame(wire.FrameRings, 0, 0, nil))
	f.Add([]byte("MTRF"))
	w, err := tracefile.Create(os.DevNull, tracefile.Info{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c := &Collector{writer: w, observer: Nobody{}, closing: make(chan struct{}), running: map[int]*running{}, ended: map[int]*ended{}}
		p := &process{collector: c, reader: &descriptorReader{}, stopWatching: func() {}}
		p.readFrames(bufio.NewReader(bytes.NewReader(data)))
		p.end(false, "", nil)
	})
}
