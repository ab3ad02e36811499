package collector

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mtrace/collector/relay"
	"mtrace/collector/tracefile"
)

// A relayed recording goes to a receiver instead of a file.
type relayed struct {
	*recording
	sender   *relay.Sender
	receiver *relay.Receiver
	dir      string
	token    string
}

func startRelayed(t *testing.T, limit int64) *relayed {
	t.Helper()
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	r := &relayed{dir: t.TempDir(), token: relay.NewToken()}
	r.receive(t, "127.0.0.1:0")
	var err error
	if r.sender, err = relay.NewSender(relay.SenderOptions{Address: r.receiver.Address(), Token: r.token, Name: "far",
		Limit: limit}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.sender.Discard)
	r.sender.Start()
	w, err := tracefile.NewWriter(r.sender, tracefile.Info{Tool: "test"})
	if err != nil {
		t.Fatal(err)
	}
	r.recording = &recording{path: filepath.Join(r.dir, "far.mtrace"), tb: t}
	if r.Collector, err = New(Options{Writer: w}); err != nil {
		t.Fatal(err)
	}
	go r.Serve(context.Background())
	return r
}

// receive starts a receiver.
func (r *relayed) receive(t *testing.T, address string) {
	t.Helper()
	var err error
	if r.receiver, err = relay.NewReceiver(relay.ReceiverOptions{Address: address, Token: r.token,
		Dir: r.dir}); err != nil {
		t.Fatal(err)
	}
	go r.receiver.Serve(context.Background())
	t.Cleanup(func() { r.receiver.Close() })
}

// finish ends the recording and waits until the receiver has it.
func (r *relayed) finish(t *testing.T) (*tracefile.Reader, Result) {
	t.Helper()
	if _, err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.sender.Deliver(context.Background(), 3*time.Minute); err != nil {
		t.Fatal(err)
	}
	return r.recording.finish()
}

// The trace of a process that is killed here is complete on the other machine.
func TestRelayed(t *testing.T) {
	r := startRelayed(t, 1<<30)
	cmd, truth := task{Threads: 2, PerStep: 100, Pause: time.Millisecond, Drain: "yes"}.start(t, r.Address())
	for totalCalls(truth, 2) < 20000 {
		time.Sleep(time.Millisecond)
	}
	cmd.Process.Kill()
	r.wait(cmd)
	trace, _ := r.finish(t)
	checkThreads(t, trace, 0, truth, 2, true)
	checkValid(t, trace)
}

// A relay that died cost the rest of the trace. Now the program and the recording continue without it, and when a
// receiver is there again it gets all that it lacks, once.
func TestReceiverGoesAndComesBack(t *testing.T) {
	r := startRelayed(t, 1<<30)
	cmd, truth := task{Threads: 2, PerStep: 1000, Pause: time.Millisecond, Drain: "yes"}.start(t, r.Address())
	until := func(calls uint64) {
		for deadline := time.Now().Add(3 * time.Minute); totalCalls(truth, 2) < calls; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the program stands still")
			}
		}
	}
	for range 3 {
		until(totalCalls(truth, 2) + 50_000)
		address := r.receiver.Address()
		r.receiver.Close()
		until(totalCalls(truth, 2) + 50_000)
		r.receive(t, address)
	}
	until(totalCalls(truth, 2) + 10_000)
	cmd.Process.Kill()
	r.wait(cmd)
	trace, _ := r.finish(t)
	checkThreads(t, trace, 0, truth, 2, true)
	checkValid(t, trace)
}

// Records without space in the spool are lost, and counted: in the result, and in the trace.
func TestSpoolWithoutRoom(t *testing.T) {
	r := startRelayed(t, 256<<10)
	r.receiver.Close()
	cmd, truth := task{Threads: 2, PerStep: 1000, Pause: time.Millisecond, Drain: "yes"}.start(t, r.Address())
	for left := uint64(0); left == 0; left, _ = r.writer.LeftOut() {
		time.Sleep(time.Millisecond)
	}
	cmd.Process.Kill()
	r.wait(cmd)
	result, err := r.Close()
	if err != nil {
		t.Fatal(err)
	}
	// Where the collector is slow, the rings were full too.
	if !strings.Contains(strings.Join(result.Warnings, "\n"), "were left out: the spool of 256 KiB was full") ||
		result.Lost == 0 {
		t.Errorf("%+v", result)
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "saved.mtrace"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := r.sender.Save(file); err != nil {
		t.Fatal(err)
	}
	trace, err := tracefile.Open(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	missing, records := uint64(0), uint64(0)
	for _, s := range trace.Streams() {
		missing, records = missing+s.Missing, records+s.Records
	}
	if missing == 0 || missing != result.Lost-*truth.dropped(0)-*truth.dropped(1) {
		t.Errorf("%d records in the trace and %d missing; %d lost by the result", records, missing, result.Lost)
	}
}
