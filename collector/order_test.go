package collector

import (
	"net"
	"sync"
	"testing"
	"time"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/fixtures/wiretest"
)

// programs is an Observer that notes the programs whose recording began, and those that vanished.
type programs struct {
	Nobody
	began    chan string
	mutex    sync.Mutex
	vanished []string
}

func (p *programs) Process(_ tracefile.ProcessIndex, h wire.Hello) { p.began <- h.Program }

func (p *programs) Vanished(h wire.Hello) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.vanished = append(p.vanished, h.Program)
}

// silent connects without sending its hello yet.
func silent(t *testing.T, r *recording) *net.UnixConn {
	t.Helper()
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: r.Address(), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func sayHello(t *testing.T, conn *net.UnixConn, program string) {
	t.Helper()
	h := wiretest.Hello()
	h.Program = program
	if _, err := conn.Write(wiretest.Frame(wire.FrameHello, 0, 0, wire.AppendHello(nil, h))); err != nil {
		t.Fatal(err)
	}
}

// A shell executes a program in its place. Each connection is served by a goroutine of its own, so the program's hello
// may be read before the shell's. The shell was then mistaken for the program's successor, and the program's trace
// ended there without any note. The order of the connections decides which came later.
func TestHellosInTheWrongOrder(t *testing.T) {
	for name, used := range map[string]bool{"the program has not used Metal yet": false,
		"the program has used Metal": true} {
		t.Run(name, func(t *testing.T) {
			observer := &programs{began: make(chan string, 8)}
			r := startObserved(t, observer)
			shell, program := silent(t, r), silent(t, r)

			sayHello(t, program, "program")
			warning := wiretest.Frame(wire.FrameProcessFacts, 0, 0,
				wire.AppendFact(nil, wire.Fact{Kind: wire.FactWarning, Text: "here"}))
			var region wiretest.Region
			if used {
				region, _ = sendRegion(t, program)
			} else if _, err := program.Write(warning); err != nil {
				t.Fatal(err)
			}
			if got := <-observer.began; got != "program" {
				t.Fatalf("%s began first", got)
			}
			sayHello(t, shell, "shell")
			shell.Close()
			for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(time.Millisecond) {
				observer.mutex.Lock()
				gone := len(observer.vanished)
				observer.mutex.Unlock()
				if gone > 0 {
					break
				}
				if time.Now().After(deadline) {
					t.Fatal("the shell, which used no Metal and was replaced, did not vanish")
				}
			}
			if !used {
				region, _ = sendRegion(t, program)
			}
			thread, _ := region.Thread(firstThread, 1)
			thread.Record(wire.Record{Begin: 2, End: 3, Object: 1, Call: callCommit})
			program.Close()
			trace, result := r.finish()
			if observer.vanished[0] != "shell" || len(observer.vanished) != 1 {
				t.Errorf("%q vanished", observer.vanished)
			}
			if len(trace.Processes()) != 1 || trace.Processes()[0].Program != "program" || result.Events != 2 {
				t.Errorf("%d processes, result %+v", len(trace.Processes()), result)
			}
		})
	}
}

// The same for the data structure alone: in whatever order connections are noted, the process that connected last is
// running and the others are gone. A process that is noted after its successor's end is gone too, and gets no other
// process's exit status.
func TestOrderOfConnections(t *testing.T) {
	gone := func(replaced <-chan struct{}) bool {
		select {
		case <-replaced:
			return true
		default:
			return false
		}
	}
	for _, order := range [][3]uint64{{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}} {
		c := &Collector{observer: Nobody{}, registry: newRegistry()}
		replaced := map[uint64]<-chan struct{}{}
		for _, number := range order {
			replaced[number] = c.processBegan(&process{collector: c, peer: 77, number: number})
		}
		if !gone(replaced[1]) || !gone(replaced[2]) || gone(replaced[3]) || c.registry.running[77].process.number != 3 {
			t.Errorf("order %v: the first is gone: %v, the second %v, the third %v", order, gone(replaced[1]),
				gone(replaced[2]), gone(replaced[3]))
		}
	}
	c := &Collector{observer: Nobody{}, registry: newRegistry()}
	c.registry.newest[77] = 2
	c.registry.ended[77] = &ended{}
	if !gone(c.processBegan(&process{collector: c, peer: 77, number: 1})) || c.registry.ended[77] == nil ||
		c.registry.running[77] != nil {
		t.Error("a connection older than one that has ended was treated as a new process")
	}
}
