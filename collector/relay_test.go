package collector

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mtrace/collector/relay"
	"mtrace/collector/tracefile"
)

// startRelayed starts a collector that writes to a receiver instead of a file.
func startRelayed(t *testing.T) (*recording, *relay.Receiver) {
	t.Helper()
	token := relay.NewToken()
	dir := t.TempDir()
	receiver, err := relay.NewReceiver(relay.ReceiverOptions{Address: "127.0.0.1:0", Token: token, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	go receiver.Serve(context.Background())
	t.Cleanup(func() { receiver.Close() })
	sender, err := relay.Dial(context.Background(), receiver.Address(), token, "far")
	if err != nil {
		t.Fatal(err)
	}
	w, err := tracefile.NewWriter(sender, tracefile.Info{Tool: "test"})
	if err != nil {
		t.Fatal(err)
	}
	r := &recording{path: filepath.Join(dir, "far.mtrace"), tb: t}
	if r.Collector, err = New(Options{Writer: w}); err != nil {
		t.Fatal(err)
	}
	return r, receiver
}

// A process that is killed here is whole over there.
func TestRelayed(t *testing.T) {
	r, _ := startRelayed(t)
	go r.Serve(context.Background())
	cmd, truth := task{Threads: 2, PerStep: 100, Pause: time.Millisecond, Drain: "yes"}.start(t, r.Address())
	for totalCalls(truth, 2) < 20000 {
		time.Sleep(time.Millisecond)
	}
	cmd.Process.Kill()
	r.wait(cmd)
	trace, _ := r.finish()
	checkThreads(t, trace, 0, truth, 2, true)
	checkValid(t, trace)
}

// The machine over there goes away: the recording ends with an error, the program goes on, and what had arrived can be read.
func TestReceiverGoes(t *testing.T) {
	r, receiver := startRelayed(t)
	served := make(chan error, 1)
	go func() { served <- r.Serve(context.Background()) }()
	cmd, truth := task{Threads: 2, PerStep: 1000, Pause: time.Millisecond, Drain: "yes"}.start(t, r.Address())
	time.Sleep(500 * time.Millisecond)
	receiver.Close()
	select {
	case err := <-served:
		if err == nil || !strings.Contains(err.Error(), "send to the collector") {
			t.Errorf("Serve: %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("nobody noticed")
	}
	if _, err := r.Close(); err == nil {
		t.Error("Close: no error")
	}
	before := totalCalls(truth, 2)
	for deadline := time.Now().Add(5 * time.Second); totalCalls(truth, 2) == before && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if *truth.dropped(0)+*truth.dropped(1) == 0 && totalCalls(truth, 2) == before {
		t.Error("the program stands still")
	}
	cmd.Process.Kill()
	cmd.Wait()
	trace, err := tracefile.Open(r.path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	if cut, _ := trace.Truncated(); !cut || len(trace.Streams()) == 0 {
		t.Errorf("cut %v, %d streams", cut, len(trace.Streams()))
	}
}
