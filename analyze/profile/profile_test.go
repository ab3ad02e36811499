package profile

import (
	"maps"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/kernels"
	"mtrace/collector/wire"
	_ "mtrace/fixtures/testheap"
	"mtrace/fixtures/tracesim"
	"mtrace/fixtures/tracetest"
)

func load(t *testing.T, path string) *analyze.Trace {
	t.Helper()
	trace, err := analyze.Load(path, analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

func traces(t *testing.T) map[string]*analyze.Trace {
	t.Helper()
	all := map[string]*analyze.Trace{"small": load(t, tracetest.Small(t)), "signals": load(t, signalTrace(t))}
	for _, s := range tracesim.Scenarios {
		switch s.Name {
		case "device-wide sync", "compilation in the loop", "GPU saturated, queues full", "event chain":
			all[s.Name] = load(t, s.Build(3).Run(t))
		}
	}
	return all
}

// signalTrace writes a trace in which threads wait for signals: one that works with Metal, two of them inside a call of
// Metal's, and one of a pool.
func signalTrace(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "signals.mtrace")
	f := tracetest.Create(t, path)
	p := f.Process(7, "signals")
	a, pool := p.Thread(8, "main"), p.Thread(9, "pool")
	a.NewQueue("q")
	a.SignalWait("", 0x2000, 9, 5001, 200)
	a.Run(tracetest.Step{Pipeline: a.NewPipeline("k"), Encode: 100, Commit: 1000, Delay: 1000, GPU: 50_000, Notify: 1000})
	begin := a.Now
	a.SignalWait("inside", 0x2000, 9, 700, 200)
	a.Now += 50
	a.Outer(wire.FamilyEncoder, "endEncoding", a.NewObject(), 0, begin, nil)
	a.SignalWait("ready", 0x2008, 9, 4002, 200)
	pool.SignalWait("work", 0x3000, 8, 40_000, 100)
	p.End()
	f.Close()
	return path
}

// TestSignals: waits for signals are distinguished from other waits, with the object waited for and the signalling
// thread.
func TestSignals(t *testing.T) {
	p, err := Build("wait", load(t, signalTrace(t)))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	for _, s := range p.Sample {
		if s.Location[0].Line[0].Function.Name == "signal" {
			got[s.Location[1].Line[0].Function.Name+" "+s.Location[2].Line[0].Function.Name+", waits for "+strings.Join(
				s.Label["waits_for"], "")] += s.Value[1]
		}
	}
	want := map[string]int64{"signal at 0x2000 pthread_cond_wait, waits for pool (9)": 5001,
		"ready pthread_cond_wait, waits for pool (9)": 4002}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestSums: each profile's sums are the report's, to the nanosecond.
func TestSums(t *testing.T) {
	for name, trace := range traces(t) {
		a := cause.Analyze(trace, cause.Options{})
		var inside, waits, space, compiled, gpuTime analyze.Nanos
		signals := int64(0)
		for _, th := range a.Evidence.Times.Threads {
			inside += th.ActiveRange - th.Time[analyze.PartOutside]
			waits += th.Waited() + th.Time[analyze.PartLock] + th.SignalWaits
			for i := range trace.CPUWaits.Signals {
				if trace.CPUWaits.Signals[i].Thread == th.Thread {
					signals++
				}
			}
		}
		for i := range trace.CPUWaits.Signals {
			inside += trace.CPUWaits.Signals[i].Length()
		}
		if (name == "signals") != (signals > 0) {
			t.Errorf("%s: %d waits for signals", name, signals)
		}
		for _, al := range trace.Memory.Allocations {
			space += analyze.Nanos(al.Bytes)
		}
		for _, c := range trace.Compilations {
			compiled += c.Length()
		}
		for _, k := range kernels.Summarize(trace) {
			gpuTime += k.GPU
		}
		if gpuTime != a.Evidence.GPU.Sum {
			t.Errorf("%s: kernels sum to %d ns, the GPU to %d", name, gpuTime, a.Evidence.GPU.Sum)
		}
		ran := 0
		for b := range trace.Buffers() {
			if b.GPU.Known() {
				ran++
			}
		}
		for kind, want := range map[string][2]int64{
			"gpu":     {int64(ran), int64(a.Evidence.GPU.Sum)},
			"api":     {trace.Events, int64(inside)},
			"wait":    {int64(len(trace.Waits)+len(trace.CPUWaits.Locks)) + signals, int64(waits)},
			"alloc":   {int64(len(trace.Memory.Allocations)), int64(space)},
			"compile": {int64(len(trace.Compilations)), int64(compiled)},
		} {
			p, err := Build(kind, trace)
			if err != nil {
				t.Fatal(err)
			}
			var got [2]int64
			for _, s := range p.Sample {
				got[0] += s.Value[0]
				got[1] += s.Value[1]
				if len(s.Label["thread"]) != 1 || len(s.Label["queue"]) != 1 || len(s.NumLabel["tid"]) != 1 ||
					len(s.NumLabel["pid"]) != 1 {
					t.Fatalf("%s, %s: a sample without its labels: %v %v", name, kind, s.Label, s.NumLabel)
				}
			}
			if got != want {
				t.Errorf("%s: the %s profile sums to %v, the report to %v", name, kind, got, want)
			}
			if p.TimeNanos == 0 || p.DurationNanos != int64(trace.TimeRange.Length()) {
				t.Errorf("%s, %s: time %d and duration %d are not set", name, kind, p.TimeNanos, p.DurationNanos)
			}
		}
	}
}

// TestGoToolPprof runs the real reader on the written files.
func TestGoToolPprof(t *testing.T) {
	var device *analyze.Trace
	for _, s := range tracesim.Scenarios {
		if s.Name == "device-wide sync" {
			device = load(t, s.Build(3).Run(t))
		}
	}
	dir := t.TempDir()
	paths, err := writeAll(nil, device, dir)
	if err != nil || len(paths) != len(Types) {
		t.Fatal(paths, err)
	}
	for _, c := range []struct {
		args string
		file string
		want []string
	}{
		{"-top", "gpu", []string{"Type: gpu", "step", "more"}},
		{"-top -sample_index=command_buffers", "gpu", []string{"Type: command_buffers", "480   100%", "step"}},
		{"-top -nodefraction=0", "api", []string{"waitUntilCompleted", "commit"}},
		{"-top", "wait", []string{"cross-thread", "executing", "notify"}},
		{"-top -tagfocus=tid=201", "wait", []string{"cross-thread", "12.5"}},
		{"-top -nodefraction=0 -tagfocus=thread=worker.3", "api", []string{"commit"}},
		{"-raw", "gpu", []string{"thread:[worker 1]", "queue:[queue", "pid:[100]", "tid:[201]"}},
		{"-tags", "wait", []string{"waits_for", "worker 2 (202)"}},
		{"-top", "compile", []string{"Type: time"}},
		{"-raw", "alloc", []string{"objects/count space/bytes"}},
	} {
		args := append([]string{"tool", "pprof"}, strings.Fields(c.args)...)
		out, err := exec.Command("go", append(args, filepath.Join(dir, c.file+".pb.gz"))...).CombinedOutput()
		if err != nil {
			t.Errorf("pprof %s of %s: %v\n%s", c.args, c.file, err, out)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(string(out), w) {
				t.Errorf("pprof %s of %s does not say %q:\n%s", c.args, c.file, w, out)
			}
		}
	}
}

func TestUnknownKind(t *testing.T) {
	if _, err := Build("cpu", &analyze.Trace{}); err == nil || !strings.Contains(err.Error(), "gpu, api") {
		t.Errorf("an unknown kind gives %v", err)
	}
}

// Every sample of GPU time has the operation that it was for as a label, where there is one: -tagfocus and -tagroot of
// pprof work with it.
func TestOperationsAreLabels(t *testing.T) {
	b := analyze.CommandBuffer{GPU: analyze.Interval{Begin: 1000, End: 3000},
		Encoders: []analyze.Encoder{{Dispatches: []analyze.Dispatch{
			{Pipeline: &analyze.Pipeline{Kernel: "gemm"}, Count: 1, Threads: 64, Names: &analyze.Names{Group: "attention"}},
			{Pipeline: &analyze.Pipeline{Kernel: "gemm"}, Count: 1, Threads: 64},
		}}}}
	got := map[string]int64{}
	p, err := Build("gpu", &analyze.Trace{TimeRange: analyze.Interval{Begin: 1, End: 5000},
		CommandBuffers: []analyze.CommandBuffer{b}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Sample {
		got[strings.Join(s.Label["operation"], ",")] += s.Value[1]
	}
	if want := map[string]int64{"attention": 1000, "": 1000}; !maps.Equal(got, want) {
		t.Errorf("by operation: %v, want %v", got, want)
	}
}
