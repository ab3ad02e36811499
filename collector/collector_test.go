package collector

import (
	"context"
	"fmt"
	"math/rand/v2"
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
	"mtrace/fixtures/validate"
	"mtrace/fixtures/wiretest"
)

// A recording is a collector at work in a test.
type recording struct {
	*Collector
	path string
	tb   testing.TB
	log  strings.Builder
}

func startRecording(tb testing.TB) *recording { return startObserved(tb, nil) }

func startObserved(tb testing.TB, observer Observer) *recording {
	tb.Helper()
	return startWith(tb, Options{Observer: observer})
}

// startWith starts a collector with these options; the writer and the log are the recording's.
func startWith(tb testing.TB, o Options) *recording {
	tb.Helper()
	r := &recording{path: filepath.Join(tb.TempDir(), "t.mtrace"), tb: tb}
	w, err := tracefile.Create(r.path, tracefile.Info{Tool: "test"})
	if err != nil {
		tb.Fatal(err)
	}
	o.Writer, o.Log = w, zerolog.New(zerolog.SyncWriter(&r.log))
	r.Collector, err = New(o)
	if err != nil {
		tb.Fatal(err)
	}
	go r.Serve(context.Background())
	return r
}

// wait waits for a traced process and notifies the collector, as mtrace run does.
func (r *recording) wait(cmd *exec.Cmd) {
	cmd.Wait()
	r.ProcessExited(cmd.Process.Pid, cmd.ProcessState.Sys().(syscall.WaitStatus),
		cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
}

// finish ends the recording and opens its trace.
func (r *recording) finish() (*tracefile.Reader, Result) {
	r.tb.Helper()
	began := time.Now()
	result, err := r.Close()
	if err != nil {
		r.tb.Fatal(err)
	}
	if d := time.Since(began); d > time.Minute {
		r.tb.Errorf("the end took %v", d)
	}
	trace, err := tracefile.Open(r.path)
	if err != nil {
		r.tb.Fatal(err)
	}
	r.tb.Cleanup(func() { trace.Close() })
	if cut, why := trace.Truncated(); cut {
		r.tb.Error(why)
	}
	return trace, result
}

// checkValid checks the properties of all traces.
func checkValid(t testing.TB, trace *tracefile.Reader) {
	t.Helper()
	problems, err := validate.Trace(trace)
	if err != nil {
		t.Error(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
}

// checkThreads compares the streams of one process with the truth: of each thread every call it published, once, in
// order. A killed thread may have published one that it had not counted yet.
func checkThreads(t testing.TB, trace *tracefile.Reader, process tracefile.ProcessIndex, truth truth, threads int,
	killed bool) {
	t.Helper()
	for _, s := range trace.Streams() {
		if s.Process != process {
			continue
		}
		if s.Missing != 0 {
			t.Errorf("ring %d: %d records missing", s.Ring, s.Missing)
		}
		thread := -1
		calls, last := uint64(0), int64(-1)
		more := false
		err := trace.Read(s, func(records []wire.Record) error {
			for _, r := range records {
				if more != (r.Call == wire.CallMore) {
					return fmt.Errorf("after %d calls a More record is missing or too many", calls)
				}
				more = r.Flags&wire.HasMore != 0
				switch r.Call {
				case wire.CallThreadStart:
					thread = int(r.Arg) - firstThread
				case callCommit:
					calls++
					if int64(r.Arg) <= last {
						return fmt.Errorf("call %d comes after call %d", r.Arg, last)
					}
					last = int64(r.Arg)
					if more != (r.Arg%3 == 0) || r.Object != wire.ObjectID(thread+1) {
						return fmt.Errorf("call %d is not as it was recorded: %+v", r.Arg, r)
					}
				case wire.CallMore:
					if uint64(r.Begin) != uint64(last) {
						return fmt.Errorf("More record %d after call %d", r.Begin, last)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("ring %d: %v", s.Ring, err)
		}
		if thread < 0 || thread >= threads {
			t.Errorf("ring %d begins without a thread", s.Ring)
			continue
		}
		want := atomic.LoadUint64(truth.calls(thread))
		if calls != want && !(killed && calls == want+1) {
			t.Errorf("thread %d made %d calls, %d are in the trace", thread, want, calls)
		}
		dropped := trace.Processes()[process].End.DroppedByThread()[uint64(firstThread+thread)]
		if want := atomic.LoadUint64(truth.dropped(thread)); dropped != want && !(killed && dropped <= want+2) {
			t.Errorf("thread %d dropped %d records, the trace says %d", thread, want, dropped)
		}
	}
}

func totalCalls(truth truth, threads int) (n uint64) {
	for i := range threads {
		n += atomic.LoadUint64(truth.calls(i))
	}
	return n
}

// SIGKILL at a random moment: every call that was published is in the trace, once. The ring's tail alone is not enough:
// a frame that was written while its slots were not yet released would appear twice. Positions prevent that.
func TestKilledAtRandom(t *testing.T) {
	kills := 50
	if testing.Short() {
		kills = 10
	}
	modes := []task{
		{Threads: 1, PerStep: 10, Pause: 100 * time.Microsecond, Drain: "yes", FactEach: 7},
		{Threads: 4, PerStep: 50, Pause: time.Millisecond, Drain: "yes", FactEach: 50},
		{Threads: 2, Drain: "yes"},
		{Threads: 2, Drain: "yes", Block: true, FactEach: 100},
		{Threads: 3, PerStep: 100, Pause: time.Millisecond, Drain: "no", FactEach: 10},
		{Threads: 2, PerStep: 100, Pause: time.Millisecond, Drain: "stuck", FactEach: 10},
	}
	salvaged := uint64(0)
	for i := range kills {
		mode := modes[i%len(modes)]
		t.Run(fmt.Sprintf("%d,threads=%d,drain=%s,block=%v", i, mode.Threads, mode.Drain, mode.Block), func(t *testing.T) {
			r := startRecording(t)
			cmd, truth := mode.start(t, r.Address())
			for deadline := time.Now().Add(3 * time.Minute); totalCalls(truth, mode.Threads) == 0 &&
				time.Now().Before(deadline); {
				time.Sleep(time.Millisecond)
			}
			time.Sleep(time.Duration(rand.Int64N(int64(60 * time.Millisecond))))
			cmd.Process.Kill()
			r.wait(cmd)
			trace, result := r.finish()
			if len(trace.Processes()) != 1 {
				t.Fatalf("%d processes", len(trace.Processes()))
			}
			checkThreads(t, trace, 0, truth, mode.Threads, true)
			end := trace.Processes()[0].End
			if !end.ExitKnown || end.Signal != 9 || end.Note != "" || r.log.Len() > 0 {
				t.Errorf("end %+v, log %s", end, r.log.String())
			}
			if result.Events < totalCalls(truth, mode.Threads) || result.Salvaged != end.Salvaged {
				t.Errorf("result %+v", result)
			}
			checkValid(t, trace)
			if mode.FactEach > 0 {
				checkFacts(t, trace.Processes()[0], truth, mode)
			}
			salvaged += end.Salvaged
		})
	}
	if salvaged == 0 {
		t.Error("no kill left anything to salvage: the test is too slow to test it")
	}
}

func checkFacts(t *testing.T, p *tracefile.Process, truth truth, mode task) {
	t.Helper()
	for thread := range mode.Threads {
		want, got := atomic.LoadUint64(truth.facts(thread)), uint64(0)
		for _, text := range p.Strings {
			if strings.HasPrefix(text, fmt.Sprintf("thread %d fact ", thread)) {
				got++
			}
		}
		if got != want && got != want+1 {
			t.Errorf("thread %d said %d facts, %d are in the trace", thread, want, got)
		}
	}
}

// A process that ends as it should leaves everything, and the exit status it was waited for with.
func TestExits(t *testing.T) {
	r := startRecording(t)
	mode := task{Threads: 3, Calls: 20000, Drain: "yes", Block: true, FactEach: 1000, Exit: 7}
	cmd, truth := mode.start(t, r.Address())
	r.wait(cmd)
	trace, result := r.finish()
	checkValid(t, trace)
	checkThreads(t, trace, 0, truth, 3, false)
	end := trace.Processes()[0].End
	if !end.ExitKnown || end.ExitStatus != 7 || end.Signal != 0 || end.Lost() != 0 || end.Note != "" {
		t.Errorf("end %+v", end)
	}
	if result.Events != 3*20000+6 || result.Lost != 0 || len(result.Warnings) != 0 || result.Processes != 1 {
		t.Errorf("result %+v", result)
	}
}

// Of several processes at once one is killed: each process has its own part of the trace.
func TestSeveralProcesses(t *testing.T) {
	r := startRecording(t)
	var truths []truth
	var cmds []*exec.Cmd
	pids := map[int]int{}
	for i := range 4 {
		cmd, truth := task{Threads: 2, PerStep: 100, Pause: time.Millisecond, Calls: 3000, Drain: "yes",
			Linger: i == 2}.start(t, r.Address())
		pids[cmd.Process.Pid] = i
		cmds, truths = append(cmds, cmd), append(truths, truth)
	}
	for i, cmd := range cmds {
		if i == 2 {
			for totalCalls(truths[i], 2) < 2*3000 {
				time.Sleep(time.Millisecond)
			}
			cmd.Process.Kill()
		}
		r.wait(cmd)
	}
	trace, _ := r.finish()
	checkValid(t, trace)
	if len(trace.Processes()) != 4 {
		t.Fatalf("%d processes", len(trace.Processes()))
	}
	for i, p := range trace.Processes() {
		n, known := pids[p.PID]
		if !known {
			t.Fatalf("process %d is none of ours", p.PID)
		}
		checkThreads(t, trace, tracefile.ProcessIndex(i), truths[n], 2, false)
	}
}

// The child of a fork holds the connection open: waiting for its end would see the parent's end only when the child
// ends.
func TestForkedChildHoldsConnection(t *testing.T) {
	r := startRecording(t)
	cmd, truth := task{Threads: 1, Calls: 5000, Drain: "yes", Child: true, Linger: true}.start(t, r.Address())
	for totalCalls(truth, 1) < 5000 {
		time.Sleep(time.Millisecond)
	}
	cmd.Process.Kill()
	r.wait(cmd)
	began := time.Now()
	trace, _ := r.finish()
	checkValid(t, trace)
	if d := time.Since(began); d > 50*time.Second {
		t.Errorf("the end was seen after %v", d)
	}
	checkThreads(t, trace, 0, truth, 1, false)
	if note := trace.Processes()[0].End.Note; note != "" {
		t.Errorf("note %q", note)
	}
}

// The traced program ends and leaves a daemon behind, which is traced too: the recording ends all the same, with the
// records so far.
func TestDaemonLivesOn(t *testing.T) {
	for _, drain := range []string{"yes", "no", "stuck"} {
		r := startRecording(t)
		cmd, truth := task{Threads: 2, PerStep: 100, Pause: time.Millisecond, Drain: drain}.start(t, r.Address())
		for totalCalls(truth, 2) < 5000 {
			time.Sleep(time.Millisecond)
		}
		before := totalCalls(truth, 2)
		trace, result := r.finish()
		end := trace.Processes()[0].End
		if !strings.Contains(end.Note, "still running") || !end.Running || len(result.Warnings) != 1 || result.Lost != 0 {
			t.Errorf("drain %s: end %+v, result %+v", drain, end, result)
		}
		if after := totalCalls(truth, 2); result.Events > after+4 || result.Events < before && drain != "stuck" {
			t.Errorf("drain %s: %d events, the process had made %d to %d calls", drain, result.Events, before, after)
		}
		if err := cmd.Process.Signal(syscall.Signal(0)); err != nil {
			t.Errorf("drain %s: the process did not live on: %v", drain, err)
		}
		cmd.Process.Kill()
		cmd.Wait()
	}
}

// A daemon that never used Metal is left behind: nothing of it is missing, so nothing is reported.
func TestDaemonWithoutMetal(t *testing.T) {
	r := startRecording(t)
	conn, err := wiretest.Dial(r.Address(), wiretest.Hello())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	trace, result := r.finish()
	checkValid(t, trace)
	if len(trace.Processes()) != 1 || len(result.Warnings) != 0 || trace.Processes()[0].End.Running {
		t.Errorf("%d processes, result %+v", len(trace.Processes()), result)
	}
}

// exec replaces the program in the same process id: two parts, the first complete although no end of a process was
// seen.
func TestExec(t *testing.T) {
	r := startRecording(t)
	mode := task{Threads: 1, Calls: 3000, PerStep: 100, Pause: time.Millisecond, Drain: "yes", Exec: true, Exit: 3}
	cmd, first := mode.start(t, r.Address())
	r.wait(cmd)
	second := openTruth(first.path + ".exec")
	trace, _ := r.finish()
	checkValid(t, trace)
	if n := len(trace.Processes()); n != 2 {
		t.Fatalf("%d processes", n)
	}
	checkThreads(t, trace, 0, first, 1, false)
	checkThreads(t, trace, 1, second, 1, false)
	if a, b := trace.Processes()[0].End, trace.Processes()[1].End; a.ExitKnown || !b.ExitKnown || b.ExitStatus != 3 {
		t.Errorf("ends %+v %+v", a, b)
	}
}

// The rings fill without a drainer: the collector drains them. The threads wait for space, so its speed does not
// matter; without it they would wait for ever.
func TestTakesOverFullRings(t *testing.T) {
	r := startRecording(t)
	mode := task{Threads: 2, Calls: wire.RecordsPerRing, Block: true, Drain: "no", FactEach: 20}
	cmd, truth := mode.start(t, r.Address())
	r.wait(cmd)
	trace, result := r.finish()
	checkValid(t, trace)
	checkThreads(t, trace, 0, truth, 2, false)
	checkFacts(t, trace.Processes()[0], truth, mode)
	if result.Lost != 0 || result.Events != uint64(2*mode.Calls+4) {
		t.Errorf("result %+v", result)
	}
}

// A frozen collector costs the program only records, and these are counted, by thread.
func TestDropsAreCounted(t *testing.T) {
	r := startRecording(t)
	mode := task{Threads: 2, Calls: 150000, Drain: "stuck"}
	cmd, truth := mode.start(t, r.Address())
	r.wait(cmd)
	trace, result := r.finish()
	checkValid(t, trace)
	checkThreads(t, trace, 0, truth, 2, false)
	dropped := atomic.LoadUint64(truth.dropped(0)) + atomic.LoadUint64(truth.dropped(1))
	if dropped == 0 {
		t.Skip("nothing was dropped: the machine is too fast for this test")
	}
	if result.Lost != dropped || len(result.Warnings) != 1 {
		t.Errorf("dropped %d, result %+v", dropped, result)
	}
}
