package main

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mtrace/collector/wire"
	"mtrace/fixtures/softmetal"
)

// A sanitizer instruments the C half, with a drainer in C, inside of the programs that it is tried with: its runtime
// must be the first library of a process, so none that is loaded into one can be instrumented.
type sanitizer struct{ name string }

func (s sanitizer) file(name string) string { return name + "-" + strings.ReplaceAll(s.name, ",", "-") }

func (s sanitizer) flags(more ...string) []string {
	return append([]string{"-O1", "-g", "-fsanitize=" + s.name, "-fno-sanitize-recover=all", "-fno-omit-frame-pointer",
		"-Wno-tsan"}, more...)
}

// shim is all of the C half in one object file.
func (s sanitizer) shim(t *testing.T) string {
	t.Helper()
	command := append([]string{"gcc"}, s.flags("-std=gnu11", "-D_GNU_SOURCE", "-DMTRACE_SMALL", "-fvisibility=hidden",
		"-r", "-o", "OUT", "testdata/drainer.c")...)
	return buildKept(t, s.file("shim")+".o", append(command, shimSources(t)...)...)
}

// shapes is testdata/shapes.m.
func (s sanitizer) shapes(t *testing.T) string {
	t.Helper()
	return buildKept(t, s.file("libshapes")+".so", append([]string{"gcc"}, s.flags("-std=gnu11", "-fPIC", "-shared", "-o",
		"OUT", "testdata/shapes.m", "-lobjc", "-lBlocksRuntime")...)...)
}

// client is testdata/client.m.
func (s sanitizer) client(t *testing.T) string {
	t.Helper()
	return buildKept(t, s.file("client"), append([]string{"gcc"},
		s.flags("-std=gnu11", "-fobjc-exceptions", "-o", "OUT", "testdata/client.m", s.shim(t), s.shapes(t), "-lobjc",
			"-lpthread", "-ldl", "-rdynamic")...)...)
}

// signals is testdata/signals.cc.
func (s sanitizer) signals(t *testing.T) string {
	t.Helper()
	return buildKept(t, s.file("signals"), append([]string{"g++"}, s.flags("-std=c++17", "-o", "OUT",
		"testdata/signals.cc", s.shim(t), s.shapes(t), "-lpthread", "-ldl", "-rdynamic")...)...)
}

// softClient is the client of the software Metal, which is instrumented, too.
func (s sanitizer) softClient(t *testing.T) string {
	t.Helper()
	install, err := softmetal.Build(s.name)
	if err != nil {
		t.Fatal(err)
	}
	sources, _ := filepath.Glob("../fixtures/softmetal/testdata/*.m")
	command := append([]string{"gcc"}, s.flags("-x", "objective-c", "-std=gnu11", "-isystem", "/usr/include/GNUstep",
		"-fconstant-string-class=NSConstantString",
		"-DGNUSTEP", "-DGNUSTEP_BASE_LIBRARY=1", "-fobjc-exceptions", "-o", "OUT")...)
	return buildKept(t, s.file("softmetal-client"), append(append(command, sources...), "-x", "none", s.shim(t),
		install.Library(), "-lgnustep-base", "-lobjc", "-lBlocksRuntime",
		"-lpthread", "-ldl", "-rdynamic", "-Wl,-rpath,"+install.Dir)...)
}

// run traces one of the programs. Exceptions that it throws are kept by Foundation and never freed, so leaks are not
// checked; Foundation and the runtime are not instrumented.
func (s sanitizer) run(t *testing.T, cmd *exec.Cmd) run {
	t.Helper()
	suppressions, err := filepath.Abs("../fixtures/softmetal/testdata/tsan.supp")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(cmd.Env, "ASAN_OPTIONS=detect_leaks=0", "UBSAN_OPTIONS=print_stacktrace=1",
		"TSAN_OPTIONS=halt_on_error=1:atexit_sleep_ms=50:suppressions="+suppressions, "MTRACE_STACKS=native,python")
	r := traceWith(t, cmd, "", func(*os.Process) {})
	if !r.state.Success() || strings.Contains(r.stderr, "Sanitizer") || strings.Contains(r.stderr, "runtime error") {
		t.Fatalf("ended with %v\n%s", r.state, r.stderr)
	}
	return r
}

func TestSanitizers(t *testing.T) {
	if testing.Short() {
		t.Skip("instrumented builds of all there is in C")
	}
	for _, name := range []string{"address,undefined", "thread"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each builds under names of its own
			s := sanitizer{name}
			t.Run("calls", s.testCalls)
			t.Run("waits", s.testWaits)
			t.Run("metal", s.testMetal)
		})
	}
}

// TestSanitizedDelays: the delays of an experiment, which change with each frame of records, are free of data races and
// of undefined behaviour. Every call, lock, wait and handler is delayed, some by sleeping, and others pause.
func TestSanitizedDelays(t *testing.T) {
	if testing.Short() {
		t.Skip("an instrumented build")
	}
	var calls []wire.Call
	for i := range wire.Table {
		calls = append(calls, wire.Call(i))
	}
	const all = wire.DelayCalls | wire.DelayLock | wire.DelayWaits | wire.DelayOwn | wire.DelayHandlers
	kinds := []wire.DelayKind{all, all | wire.DelaySleeps, all | wire.DelayPauses | wire.DelayOthers,
		all | wire.DelayPauses | wire.DelayOthers | wire.DelayItself, 0}
	var changes, delayed atomic.Uint64
	change := func(g wire.Region) {
		n := changes.Add(1)
		g.SetDelays(wire.Delays{Kinds: kinds[n%uint64(len(kinds))], Calls: calls, Until: math.MaxInt64,
			Length: time.Duration(n%3) * 65 * time.Microsecond})
		for i := range g.RingsUsed() {
			delayed.Store(max(delayed.Load(), g.Ring(i).Injected().Occurrences))
		}
	}
	changing.Store(&change)
	defer changing.Store(nil)
	s := sanitizer{"thread"}
	s.run(t, exec.Command(s.client(t), "threads", "2000")).compare(t)
	s.run(t, exec.Command(s.client(t), "locks"))
	if changes.Load() < 10 || delayed.Load() == 0 {
		t.Errorf("delays changed %d times, and a thread was delayed %d times", changes.Load(), delayed.Load())
	}
}

// testCalls has calls in every situation.
func (s sanitizer) testCalls(t *testing.T) {
	for _, scenario := range []string{"classes", "threads", "short-threads", "exceptions", "jumps", "completion-jumps",
		"reuse", "odd", "fork", "flood"} {
		t.Run(scenario, func(t *testing.T) { s.run(t, exec.Command(s.client(t), scenario, "200")).compare(t) })
	}
}

// testWaits has waits for locks, condition variables and semaphores, and the tables of their owners and signalling
// threads. The shared memory with the rings of such programs once began on a page without the rings' alignment.
func (s sanitizer) testWaits(t *testing.T) {
	for name, cmd := range map[string]*exec.Cmd{
		"locks": exec.Command(s.client(t), "locks"), "free locks": exec.Command(s.client(t), "bench-lock", "100000"),
		"signals": exec.Command(s.signals(t)), "no signals": exec.Command(s.client(t), "bench-signal", "100000"),
		"free semaphores": exec.Command(s.client(t), "bench-semaphore", "100000"),
	} {
		t.Run(name, func(t *testing.T) {
			r := s.run(t, cmd)
			families := map[wire.Family]int{}
			for _, e := range r.traced(t).events(t) {
				families[e.Call.Row().Family]++
			}
			want := map[string]int{"locks": 3, "signals": 12}[name]
			if got := families[wire.FamilyLock] + families[wire.FamilySignal]; got < want {
				t.Errorf("%d waits were recorded, not %d or more", got, want)
			}
		})
	}
}

// testMetal has encoders with the GPU's samples, on one thread and on many, and each kind of Metal object. It found
// selectors and a method in plain variables, written by the first thread: another thread could see the method without
// its selector. It also found a slot whose class was read without ordering after its writing.
func (s sanitizer) testMetal(t *testing.T) {
	for scenario, env := range map[string]string{
		"unequal-encoders": "SOFTMETAL_TIMED=1", "other-encoders": "SOFTMETAL_TIMED=1", "threads": "", "slots": "",
		"asynchronous": "",
		"metal4":       "", "metal4-options": "", "metal4-compiler": "", "handles": "", "every-word": "", "mps-layers": "",
		"mps-graph": "", "heap": "", "no-pool": "",
	} {
		t.Run(scenario, func(t *testing.T) {
			cmd := exec.Command(s.softClient(t), scenario)
			cmd.Env = []string{"MTRACE_GPU_TIMING=encoder", "SOFTMETAL_DURATION_US=1", env}
			r := s.run(t, cmd)
			asked, got := map[wire.Sampling]int{}, map[wire.Sampling]int{}
			for _, e := range encoderTimes(t, r.traced(t)) {
				asked[e.asked]++
				got[e.got]++
			}
			if want := map[string]int{"unequal-encoders": 30, "threads": 100}[scenario]; got[wire.SamplingMeasured] < want {
				t.Errorf("%d encoders were measured, not %d or more; asked: %v, outcome: %v", got[wire.SamplingMeasured], want,
					asked, got)
				for _, f := range r.traced(t).facts(t) {
					if f.Kind == wire.FactWarning {
						t.Logf("%q", f.Text)
					}
				}
			}
		})
	}
}
