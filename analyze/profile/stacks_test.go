package profile

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/fixtures/tracesim"
)

// withStacks returns a scenario's trace in which every call that can have a stack has one.
func withStacks(t *testing.T, scenario string) *analyze.Trace {
	t.Helper()
	for _, s := range tracesim.Scenarios {
		if s.Name == scenario {
			sim := s.Build(3)
			sim.BeforeWrite = tracesim.PythonProgram
			return load(t, sim.Run(t))
		}
	}
	t.Fatalf("no scenario %q", scenario)
	return nil
}

// names are the functions of a sample, leaf first.
func names(s *profile.Sample) (list []string) {
	for _, l := range s.Location {
		list = append(list, l.Line[0].Function.Name)
	}
	return list
}

// TestStacks: the call stack of the program follows the Metal call, and the interpreter's own frames are left out.
func TestStacks(t *testing.T) {
	trace := withStacks(t, "device-wide sync")
	if trace.Recording.Stacks.Stacks == 0 || trace.Recording.Stacks.Undefined > 0 {
		t.Fatalf("the trace holds %+v", trace.Recording.Stacks)
	}
	code := []string{"gpu_call", "libgpu.so+0x999", "step", "<module>", "libgpu.so+0x777"}
	waiting := slices.Insert(slices.Clone(code), 2, "synchronize")
	for kind, want := range map[string][]string{
		"gpu":  code,
		"wait": waiting,
		"api":  code,
	} {
		p, err := Build(kind, trace)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, s := range p.Sample {
			got := names(s)
			if len(got) > len(want) && slices.Equal(got[len(got)-len(want):], want) {
				found++
			}
			if slices.ContainsFunc(got, func(n string) bool { return strings.Contains(n, "python") }) {
				t.Fatalf("%s: the interpreter's own code is in %q", kind, got)
			}
		}
		if found == 0 {
			t.Errorf("%s: no sample ends in %q; the first is %q", kind, want, names(p.Sample[0]))
		}
		places := map[string]profile.Location{}
		for _, l := range p.Location {
			if name := l.Line[0].Function.Name; places[name].ID == 0 || l.Line[0].Line == 42 {
				places[name] = *l
			}
		}
		if at := places["step"]; kind != "wait" && at.Line[0].Line != 42 ||
			at.Line[0].Function.Filename != "/home/me/train.py" || at.Address != 0 || at.Mapping.ID != 1 {
			t.Errorf("%s: step is at %+v of %+v", kind, at, at.Line[0].Function)
		}
		at := places["gpu_call"]
		if at.Address != tracesim.LibraryStart+0x10f || at.Mapping.File != "/opt/app/libgpu.so" ||
			at.Mapping.Start != tracesim.LibraryStart ||
			at.Mapping.Limit != tracesim.LibraryStart+1<<20 || at.Mapping.BuildID != "c0ffee" || at.Mapping.HasFunctions {
			t.Errorf("%s: gpu_call is at %#x of %+v", kind, at.Address, at.Mapping)
		}
	}
	p, _ := Build("wait", trace)
	held := map[string]bool{}
	for _, s := range p.Sample {
		for _, h := range s.Label["interpreter_lock"] {
			held[h] = true
		}
	}
	if !held["held"] || !held["not held"] {
		t.Errorf("the labels of the GIL are %v", held)
	}
}

// TestStacksAddUp: stacks split samples, and change no sum.
func TestStacksAddUp(t *testing.T) {
	for _, scenario := range []string{"device-wide sync", "compilation in the loop", "GPU saturated, queues full"} {
		trace := withStacks(t, scenario)
		a := cause.Analyze(trace, cause.Options{})
		var inside, waits, compiled analyze.Nanos
		for _, th := range a.Evidence.Times.Threads {
			inside += th.ActiveRange - th.Time[analyze.PartOutside]
			waits += th.Waited() + th.Time[analyze.PartLock]
		}
		for _, c := range trace.Compilations {
			compiled += c.Length()
		}
		for kind, want := range map[string]analyze.Nanos{"gpu": a.Evidence.GPU.Sum, "api": inside, "wait": waits,
			"compile": compiled} {
			p, err := Build(kind, trace)
			if err != nil {
				t.Fatal(err)
			}
			var sum, count int64
			for _, s := range p.Sample {
				count += s.Value[0]
				sum += s.Value[1]
			}
			if sum != int64(want) || kind == "api" && count != trace.Events {
				t.Errorf("%s: the %s profile sums to %d ns of %d, the report to %d", scenario, kind, sum, count, want)
			}
		}
	}
}

// TestGoToolPprofReadsStacks runs the real reader on them.
func TestGoToolPprofReadsStacks(t *testing.T) {
	dir := t.TempDir()
	if _, err := writeAll(nil, withStacks(t, "device-wide sync"), dir); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		file string
		want []string
	}{
		{[]string{"-top", "-cum"}, "gpu", []string{"step", "gpu_call", "<module>"}},
		{[]string{"-peek=^step$"}, "wait", []string{"synchronize", "<module>"}},
		{[]string{"-traces"}, "wait", []string{"cross-thread\n", "waitUntilCompleted\n", "gpu_call", "synchronize", "step"}},
		{[]string{"-top", "-lines", "-nodefraction=0", "-focus=step"}, "api", []string{"commit", "/home/me/train.py:42"}},
		{[]string{"-list=^step$", "-source_path=/nowhere"}, "gpu", []string{"Total:", "step in /home/me/train.py"}},
		{[]string{"-tags"}, "wait", []string{"interpreter_lock", "held"}},
		{[]string{"-raw"}, "gpu", []string{"/opt/app/libgpu.so c0ffee"}},
	} {
		args := append(append([]string{"tool", "pprof", "-symbolize=none"}, c.args...), filepath.Join(dir, c.file+".pb.gz"))
		out, err := exec.Command("go", args...).CombinedOutput()
		if err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(string(out), w) {
				t.Errorf("%v does not say %q:\n%s", args, w, out)
			}
		}
	}
}
