package relay

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mtrace/fixtures/relaytest"
)

// The network is cut again and again, in every possible manner: the written bytes arrive, once.
func TestNetworkCut(t *testing.T) {
	t.Parallel() // it waits most of the time
	r := receive(t)
	p := relaytest.NewProxy(t, r.Address())
	random := rand.New(rand.NewPCG(1, 2))
	trace := record(t, send(t, p.Address(), 1<<30))
	for i := range 40 {
		before := p.Count.Load()
		trace.add(t, 1+random.IntN(3000))
		time.Sleep(time.Duration(random.IntN(8)) * time.Millisecond)
		switch i % 4 {
		case 0:
			p.Reset()
		case 1:
			p.HalfClose()
		case 2: // nobody is there for a while
			p.Down(true)
			p.Reset()
			time.Sleep(time.Duration(random.IntN(100)) * time.Millisecond)
			p.Down(false)
		case 3: // connections are made, and hang, and are cut
			p.Reset()
			p.Hang(true)
			trace.add(t, 1+random.IntN(3000))
			p.Hang(false)
			p.Reset()
		}
		for deadline := time.Now().Add(2 * time.Minute); p.Count.Load() == before; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the sender does not come back")
			}
		}
	}
	trace.end(t)
	trace.deliver(t, 2*time.Minute)
	if names := r.traces(t); len(names) > 2 || names[len(names)-1] != "run.mtrace" {
		t.Errorf("%q", names)
	}
}

// A network that hangs without a sign is noticed by the silence.
func TestNetworkHangs(t *testing.T) {
	t.Parallel() // it waits most of the time
	r := receive(t)
	p := relaytest.NewProxy(t, r.Address())
	trace := record(t, send(t, p.Address(), 1<<30))
	trace.add(t, 1000)
	for p.Count.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	p.Hang(true)
	trace.add(t, 1000)
	trace.end(t)
	delivered := make(chan error, 1)
	go func() { delivered <- trace.sender.Deliver(context.Background(), time.Minute) }()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, attempts, failure := trace.sender.progress(); attempts > 0 {
			if failure != nil && !strings.Contains(failure.Error(), "nothing for") && !strings.Contains(failure.Error(),
				"timeout") {
				t.Errorf("%v", failure)
			}
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("nobody noticed")
		}
	}
	p.Hang(false)
	if err := <-delivered; err != nil {
		t.Error(err)
	}
	trace.deliver(t, time.Minute)
}

// Another receiver on the same address and folder continues the trace, also if the earlier one was killed in the middle
// of a write.
func TestReceiverRestarts(t *testing.T) {
	r := receive(t)
	address := r.Address()
	trace := record(t, send(t, address, 1<<30))
	for i := range 5 {
		trace.add(t, 20000)
		for confirmed := int64(0); confirmed < trace.Size(); confirmed, _, _ = trace.sender.progress() {
			time.Sleep(time.Millisecond)
		}
		r.end()
		if got := r.wait(t); got != "run.mtrace false" {
			t.Errorf("%q", got)
		}
		trace.add(t, 100) // while nobody is there
		if i%2 == 1 {
			file, err := os.OpenFile(filepath.Join(r.dir, "run.mtrace"), os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				t.Fatal(err)
			}
			file.WriteString("MTBK half a block")
			file.Close()
		}
		r = receiveAt(t, address, r.dir)
	}
	trace.end(t)
	trace.deliver(t, 2*time.Minute)
	if got := r.wait(t); got != "run.mtrace true" {
		t.Errorf("%q", got)
	}
}

// A receiver on another folder has nothing of the trace: it gets all of it, as long as the spool still has all.
func TestReceiverWithAnotherFolder(t *testing.T) {
	r := receive(t)
	trace := record(t, send(t, r.Address(), 1<<30))
	trace.add(t, 20000)
	for confirmed := int64(0); confirmed < trace.Size(); confirmed, _, _ = trace.sender.progress() {
		time.Sleep(time.Millisecond)
	}
	r.end()
	receiveAt(t, r.Address(), t.TempDir())
	trace.end(t)
	trace.deliver(t, 2*time.Minute)
}

// A receiver that takes little at a time makes the trace come late, and nothing else.
func TestSlowReceiver(t *testing.T) {
	t.Parallel() // it waits most of the time
	r := receive(t)
	p := relaytest.NewProxy(t, r.Address())
	p.Pause.Store(int64(12 * time.Millisecond))
	trace := record(t, send(t, p.Address(), 1<<30))
	began := time.Now()
	trace.add(t, 100_000)
	trace.end(t)
	wrote := time.Since(began)
	if confirmed, _, _ := trace.sender.progress(); confirmed >= trace.Size()/2 {
		t.Fatalf("it is not slow: %d of %d bytes in %v", confirmed, trace.Size(), wrote)
	}
	began = time.Now()
	const patience = 5 * time.Second // of a busy machine, too
	trace.deliver(t, patience)
	if took := time.Since(began); took < patience {
		t.Errorf("it took %v, which is no more than was to be waited for progress", took)
	}
}

// No collector returns: the recorded part becomes a trace here.
func TestNobodyThere(t *testing.T) {
	r := receive(t)
	address := r.Address()
	r.end()
	trace := record(t, send(t, address, 1<<30))
	trace.add(t, 20000)
	trace.end(t)
	if err := trace.sender.Deliver(context.Background(), 200*time.Millisecond); err == nil ||
		!strings.Contains(err.Error(), "connection refused") {
		t.Errorf("%v", err)
	}
	checkSaved(t, trace)
}

// Interrupting the wait for the receiver ends it.
func TestDeliverInterrupted(t *testing.T) {
	trace := record(t, send(t, "127.0.0.1:1", 1<<30))
	trace.end(t)
	ctx, interrupt := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer interrupt()
	began := time.Now()
	if err := trace.sender.Deliver(ctx, time.Hour); err == nil || time.Since(began) > 30*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}
