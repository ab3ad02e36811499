package profile

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/kernels"
	"mtrace/analyze/serial"
	"mtrace/analyze/tracesim"
	"mtrace/analyze/tracetest"
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
	all := map[string]*analyze.Trace{"small": load(t, tracetest.Small(t))}
	for _, s := range tracesim.Scenarios {
		switch s.Name {
		case "device-wide sync", "compilation in the loop", "GPU saturated, queues full", "event chain":
			all[s.Name] = load(t, s.Build(3).Run(t))
		}
	}
	return all
}

// TestSums: each profile's sums are the report's, to the nanosecond.
func TestSums(t *testing.T) {
	for name, trace := range traces(t) {
		a := serial.Analyze(trace, serial.Options{})
		var inside, waits, space, compiled, gpuTime analyze.Nanos
		for _, th := range a.Threads {
			inside += th.Window - th.Time[analyze.PartOutside]
			waits += th.Waited() + th.Time[analyze.PartLock]
		}
		for _, al := range trace.Allocations {
			space += analyze.Nanos(al.Bytes)
		}
		for _, c := range trace.Compilations {
			compiled += c.Length()
		}
		for _, k := range kernels.Summarize(trace) {
			gpuTime += k.GPU
		}
		if gpuTime != a.GPU.Sum {
			t.Errorf("%s: kernels sum to %d ns, the GPU to %d", name, gpuTime, a.GPU.Sum)
		}
		ran := 0
		for _, b := range trace.CommandBuffers {
			if b.GPU.Known() {
				ran++
			}
		}
		for kind, want := range map[string][2]int64{
			"gpu":     {int64(ran), int64(a.GPU.Sum)},
			"api":     {trace.Events, int64(inside)},
			"wait":    {int64(len(trace.Waits) + len(trace.Locks)), int64(waits)},
			"alloc":   {int64(len(trace.Allocations)), int64(space)},
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
				if len(s.Label["thread"]) != 1 || len(s.Label["queue"]) != 1 || len(s.NumLabel["tid"]) != 1 || len(s.NumLabel["pid"]) != 1 {
					t.Fatalf("%s, %s: a sample without its labels: %v %v", name, kind, s.Label, s.NumLabel)
				}
			}
			if got != want {
				t.Errorf("%s: the %s profile sums to %v, the report to %v", name, kind, got, want)
			}
			if p.TimeNanos == 0 || p.DurationNanos != int64(trace.Window.Length()) {
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
	paths, err := WriteAll(nil, device, dir)
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
		{"-top", "wait", []string{"foreign", "executing", "notify"}},
		{"-top -tagfocus=tid=201", "wait", []string{"foreign", "12.5"}},
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
