package report

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/profile"
	"mtrace/fixtures/tracesim"
	"mtrace/fixtures/tracetest"
)

// keptTraces names a folder of recorded traces on which to check ranges, in addition to the tests' own.
const keptTraces = "MTRACE_KEPT"

// A partOf identifies a sum that ranges of a trace must add up to: of a thread or, without one, of a GPU.
type partOf struct {
	process int
	thread  analyze.ThreadID
	part    string
}

// sums returns the times of the threads and GPUs of a trace, or of a range of it.
func sums(t *testing.T, trace *analyze.Trace) map[partOf]analyze.Nanos {
	t.Helper()
	all := map[partOf]analyze.Nanos{}
	a := evidence.Divide(trace)
	for _, th := range a.Times.Threads {
		var sum analyze.Nanos
		for p, n := range th.Time {
			if n < 0 {
				t.Errorf("thread %d: %s is %d", th.Thread.ID, analyze.Part(p).Key(), n)
			}
			sum += n
			if p != int(analyze.PartOutside) {
				all[partOf{th.Thread.Process.ID, th.Thread.ID, analyze.Part(p).Key()}] += n
			}
		}
		if sum != th.ActiveRange {
			t.Errorf("thread %d: the parts add up to %d of %d", th.Thread.ID, sum, th.ActiveRange)
		}
	}
	for i := range trace.CPUWaits.Signals {
		w := &trace.CPUWaits.Signals[i]
		all[partOf{w.Thread.Process.ID, w.Thread.ID, "waits for signals"}] += w.Length()
	}
	for i := range trace.Compilations {
		all[partOf{part: "compilation"}] += trace.Compilations[i].Length()
	}
	for i := range trace.Memory.Allocations {
		all[partOf{part: "bytes allocated"}] += analyze.Nanos(trace.Memory.Allocations[i].Bytes)
	}
	all[partOf{part: "samples of memory"}] += analyze.Nanos(len(trace.Memory.Device))
	for i := range trace.Scopes {
		all[partOf{part: "scopes"}] += trace.Scopes[i].Length()
		if trace.Scopes[i].Mark {
			all[partOf{part: "marks"}]++
		}
	}
	running := map[*analyze.Device][]analyze.Interval{}
	for b := range trace.Buffers() {
		gpu := within(b.GPU, trace.TimeRange)
		if b.GPU.Known() && b.Queue != nil {
			all[partOf{part: "sum of " + b.Queue.Device.Name}] += gpu.Length()
			running[b.Queue.Device] = append(running[b.Queue.Device], gpu)
		}
	}
	for d, list := range running {
		all[partOf{part: "busy time of " + d.Name}] += evidence.NewBusy(list).Total()
	}
	return all
}

func within(i, w analyze.Interval) analyze.Interval {
	return analyze.Interval{Begin: max(i.Begin, w.Begin), End: min(i.End, w.End)}
}

// TestRanges: for any ranges into which a trace is cut, each range is exact in itself and has the clock facts of the
// whole trace, and the times of threads and GPUs in all ranges add up to their times in the whole trace.
func TestRanges(t *testing.T) {
	paths := []string{tracetest.Small(t), sharedDevice(t)}
	for _, s := range tracesim.Scenarios {
		paths = append(paths, s.Build(2).Run(t))
	}
	rounds := 2
	if dir := os.Getenv(keptTraces); dir != "" {
		kept, err := filepath.Glob(filepath.Join(dir, "*-1.mtrace"))
		if err != nil || len(kept) == 0 {
			t.Fatalf("no traces in %s: %v", dir, err)
		}
		paths, rounds = append(paths, kept...), 5
	}
	random := rand.New(rand.NewPCG(4, 4))
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			whole, err := analyze.Load(path, analyze.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for range rounds {
				checkRanges(t, path, whole, random)
			}
			checkProcesses(t, path, whole)
		})
	}
}

// sharedDevice writes a trace of two processes: the GPU runs the work of one process while the work of the other is
// queued.
func sharedDevice(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "shared.mtrace")
	f := tracetest.Create(t, path)
	for i := range 2 {
		p := f.Process(100+i, "program")
		th := p.Thread(uint64(101+10*i), "main")
		th.Now = int64(i) * 30_000
		th.NewQueue("work")
		kernel := th.NewPipeline("k")
		for range 20 {
			th.Run(tracetest.Step{Pipeline: kernel, Encode: 300, Commit: 2_000, Delay: 40_000, GPU: int64(30_000 + 9_000*i),
				Notify: 3_000})
		}
		p.End()
	}
	f.Close()
	return path
}

// checkProcesses checks that each process's times are the same as in the whole trace, whether or not the other
// processes are loaded.
func checkProcesses(t *testing.T, path string, whole *analyze.Trace) {
	t.Helper()
	if len(whole.Processes) < 2 {
		return
	}
	want := sums(t, whole)
	for _, p := range whole.Processes {
		trace, err := analyze.Load(path, analyze.Options{PIDs: []int{p.ID}})
		if err != nil {
			t.Fatal(err)
		}
		got := sums(t, trace)
		for k, n := range want {
			if k.process == p.ID && got[k] != n {
				t.Errorf("process %d alone: thread %d has %d of %s, with the others %d", p.ID, k.thread, got[k], k.part, n)
			}
		}
		for k, n := range got {
			if k.process != 0 && k.process != p.ID {
				t.Errorf("process %d alone: there is thread %d of process %d with %d of %s", p.ID, k.thread, k.process, n, k.part)
			}
		}
		checkProfiles(t, trace)
		for _, th := range trace.Threads {
			if trace.Source.Program != p.Program || th.Process.ID != p.ID {
				t.Errorf("process %d alone: program %q, thread of %d", p.ID, trace.Source.Program, th.Process.ID)
			}
		}
	}
}

func checkRanges(t *testing.T, path string, whole *analyze.Trace, random *rand.Rand) {
	t.Helper()
	want, got := sums(t, whole), map[partOf]analyze.Nanos{}
	length := whole.TimeRange.Length()
	var edges []string
	for from := analyze.Nanos(0); from < length; {
		to := from + 1 + analyze.Nanos(random.Int64N(int64(length)/2+1))
		opts := analyze.Options{From: from, To: to}
		if to >= length {
			opts.To = 0
		}
		trace, err := analyze.Load(path, opts)
		if err != nil {
			t.Fatal(err)
		}
		for k, n := range sums(t, trace) {
			got[k] += n
		}
		checkProfiles(t, trace)
		if trace.TimeRange.Length() > to-from {
			t.Errorf("from %d to %d the window is %d", from, to, trace.TimeRange.Length())
		}
		if strings.Contains(strings.Join(trace.Warnings, "\n"), "clock suspect") &&
			!strings.Contains(strings.Join(whole.Warnings, "\n"), "clock suspect") {
			t.Errorf("from %d to %d: %q", from, to, trace.Warnings)
		}
		edges = append(edges, fmt.Sprint(from))
		from = to
	}
	for k, n := range want {
		if got[k] != n {
			t.Errorf("thread %d: %s adds up to %d in ranges from %v on, it is %d", k.thread, k.part, got[k], edges, n)
		}
	}
	for k, n := range got {
		if _, there := want[k]; !there && n != 0 {
			t.Errorf("thread %d: %s is %d in ranges from %v on, and nothing in the whole", k.thread, k.part, n, edges)
		}
	}
}

// checkProfiles checks that the profiles of the threads' times and waits add up to the report's.
func checkProfiles(t *testing.T, trace *analyze.Trace) {
	t.Helper()
	a := evidence.Divide(trace)
	want := map[string]analyze.Nanos{}
	for _, th := range a.Times.Threads {
		want["api"] += th.ActiveRange - th.Time[analyze.PartOutside]
		want["wait"] += th.Waited() + th.Time[analyze.PartLock] + th.SignalWaits
	}
	for b := range trace.Buffers() {
		if b.GPU.Known() {
			want["gpu"] += within(b.GPU, trace.TimeRange).Length()
		}
	}
	for i := range trace.CPUWaits.Signals {
		want["api"] += trace.CPUWaits.Signals[i].Length()
	}
	for kind, sum := range want {
		p, err := profile.Build(kind, trace)
		if err != nil {
			t.Fatal(err)
		}
		var got analyze.Nanos
		for _, s := range p.Sample {
			got += analyze.Nanos(s.Value[1])
		}
		if got != sum {
			t.Errorf("the %s profile adds up to %d, the report to %d", kind, got, sum)
		}
	}
}
