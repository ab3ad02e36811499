package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mtrace/collector/wire"
	"mtrace/fixtures/softmetal"
	"mtrace/fixtures/softmetal/truth"
)

// softMetal is the software Metal, and its own client built against it.
func softMetal(t testing.TB) (install softmetal.Install, client string) {
	t.Helper()
	install, err := softmetal.Build("")
	if errors.Is(err, softmetal.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	sources, _ := filepath.Glob("../fixtures/softmetal/testdata/*.m")
	command := append([]string{"gcc", "-x", "objective-c", "-std=gnu11", "-O1", "-isystem", "/usr/include/GNUstep",
		"-fconstant-string-class=NSConstantString",
		"-DGNUSTEP", "-DGNUSTEP_BASE_LIBRARY=1", "-fobjc-exceptions", "-o", "OUT"}, sources...)
	client = build(t, "softmetal-client", append(command, "-x", "none", install.Library(), "-lgnustep-base", "-lobjc",
		"-lBlocksRuntime", "-lpthread", "-Wl,-rpath,"+install.Dir)...)
	return install, client
}

// traceSoft runs a program on the software Metal and returns the trace and the truth.
func traceSoft(t testing.TB, cmd *exec.Cmd) (run, *truth.File) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "truth")
	cmd.Env = append(cmd.Env, "SOFTMETAL_TRUTH="+path)
	r := trace(t, cmd)
	file, err := truth.Open(path)
	if err != nil {
		t.Fatalf("%v\n%s%s", err, r.stdout, r.stderr)
	}
	return r, file
}

// traced is the process of the run that used Metal.
func (r run) traced(t testing.TB) *tracee {
	t.Helper()
	for _, p := range r.tracees {
		if p.region != nil {
			return p
		}
	}
	t.Fatalf("no process used Metal\n%s%s", r.stdout, r.stderr)
	return nil
}

// Every check of the software Metal's own client, with and without Metal's validation layer: the program's output and
// behaviour are the same under the tracer, and the trace has its calls, each once, on the calling thread.
func TestSoftMetalClient(t *testing.T) {
	_, client := softMetal(t)
	sources, _ := filepath.Glob("../fixtures/softmetal/testdata/*.m")
	var checks []string
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\{"([a-z0-9-]+)", `).FindAllStringSubmatch(string(text), -1) {
			checks = append(checks, m[1])
		}
	}
	if len(checks) < 40 {
		t.Fatalf("only the checks %q were found", checks)
	}
	unknown, sent, words := map[string]bool{}, map[wire.Call]bool{}, map[string]bool{}
	for _, check := range checks {
		for _, layer := range []string{"", "/debug-layer"} {
			t.Run(check+layer, func(t *testing.T) {
				if why := pastTheHooks[check]; why != "" {
					t.Skip(why)
				}
				cmd := exec.Command(client, check)
				if layer != "" {
					cmd.Env = []string{"MTL_DEBUG_LAYER=1"}
				}
				plain := exec.Command(client, check)
				plain.Env = append(os.Environ(), cmd.Env...)
				if err := plain.Run(); err != nil {
					t.Skipf("ends with %v untraced too", err)
				}
				r, file := traceSoft(t, cmd)
				if !r.state.Success() {
					t.Errorf("ended with %v\n%s%s", r.state, r.stdout, r.stderr)
				}
				compareWithTruth(t, r.traced(t), file)
				for _, e := range r.events(t) {
					sent[e.Call] = true
				}
				wordsWithValues(file, words)
				for key := range file.Counts() {
					unknown[key.Selector] = unknown[key.Selector] || !inTable(key.Selector)
				}
			})
		}
	}
	var names []string
	for name, is := range unknown {
		if is {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	t.Logf("not recorded: %s", strings.Join(names, " "))
	everyRowSent(t, sent)
	everyWordSent(t, words)
}

// pastTheHooks are checks whose calls are deliberately not all recorded. TestCommitsPastTheHooksAreCounted tests the
// commits among them.
var pastTheHooks = map[string]string{
	"cached-implementation": "a quarter of its commits go past the hooks",
	"strange-queue":         "its queue is of a class that no method returned",
	"late-engine":           "a forked child, which is not traced, also uses Metal",
}

// notSent gives the reasons why rows of the table are in no check's trace, by family and selector.
var notSent = map[string]string{
	"encoder sampleCountersInBuffer:atSampleIndex:withBarrier:": "aborts the program, as on every GPU of Apple's",
}

// everyRowSent checks that each row of the table was in the trace of a check, and so compared with truth, at least
// once.
func everyRowSent(t *testing.T, sent map[wire.Call]bool) {
	t.Helper()
	rows := 0
	for family, calls := range tableCalls {
		switch family {
		case wire.FamilyFunction, wire.FamilyLock, wire.FamilySignal: // no messages; they have tests of their own
			continue
		}
		for selector, call := range calls {
			row := fmt.Sprint(family, " ", selector)
			reason := notSent[row]
			switch {
			case sent[call] && reason != "":
				t.Errorf("%s is sent; delete the reason why not: %s", row, reason)
			case !sent[call] && reason == "":
				t.Errorf("no check sends %s", row)
			default:
				rows++
			}
		}
	}
	t.Logf("%d rows of the table are sent and compared with truth, or left out for a reason", rows)
}

// The GPU times in the handler's record equal the device's times for the command buffer, to the microsecond, and each
// command buffer that ran has them. A wrapper of the validation layer that does not know the times itself asks the
// wrapped object; the tracer once accepted the 0 of a missing method as the answer.
func TestGPUTimes(t *testing.T) {
	for _, layer := range []string{"0", "1"} {
		t.Run("MTL_DEBUG_LAYER="+layer, func(t *testing.T) { testGPUTimes(t, layer) })
	}
}

func testGPUTimes(t *testing.T, layer string) {
	_, client := softMetal(t)
	cmd := exec.Command(client, "times")
	cmd.Env = []string{"MTL_DEBUG_LAYER=" + layer}
	r, file := traceSoft(t, cmd)
	got := map[uint64]wire.More{}
	p := r.traced(t)
	for _, e := range p.events(t) {
		if e.Call == wire.CallCompleted {
			got[e.more.X0] = *e.more
		}
	}
	for _, b := range file.CommandBuffers {
		if b.GPUStart == 0 {
			continue
		}
		found := false
		for _, m := range got {
			found = found || math.Abs(float64(m.X0)-float64(b.GPUStart)) < 1000 &&
				math.Abs(float64(m.X1)-float64(b.GPUEnd)) < 1000
		}
		if !found {
			t.Errorf("command buffer %d ran from %d to %d; the trace has %v", b.ID, b.GPUStart, b.GPUEnd, got)
		}
	}
	if len(got) == 0 {
		t.Errorf("no command buffer completed")
	}
}

// For a command buffer that failed the trace has Metal's description of the error, once, after its completion, also
// through the validation layer's wrapper; for a successful one it has none. It used to have the number of the error
// only.
func TestErrorsInWords(t *testing.T) {
	_, client := softMetal(t)
	for _, layer := range []string{"0", "1"} {
		cmd := exec.Command(client, "ordered-error")
		cmd.Env = []string{"MTL_DEBUG_LAYER=" + layer}
		r, file := traceSoft(t, cmd)
		p, texts := r.traced(t), map[uint64]string{}
		for _, f := range p.facts(t) {
			if f.Kind == wire.FactString {
				texts[f.Key] = f.Text
			}
		}
		made := 0
		for _, b := range file.CommandBuffers {
			if b.Error != 0 {
				made++
			}
		}
		failed, said := map[wire.ObjectID]bool{}, 0
		for _, e := range p.events(t) {
			switch {
			case e.Call == wire.CallCompleted && e.Flags&wire.Failed != 0:
				failed[e.Object] = true
			case e.Call == wire.MustLookup(wire.FamilyTracer, "failed"):
				said++
				if !failed[e.Object] || !strings.Contains(texts[e.Arg], "Caused GPU Timeout Error") {
					t.Errorf("MTL_DEBUG_LAYER=%s: command buffer %d, which failed: %v: %q", layer, e.Object, failed[e.Object],
						texts[e.Arg])
				}
			}
		}
		if made != 1 || len(failed) != made || said != made {
			t.Errorf("MTL_DEBUG_LAYER=%s: %d command buffers failed, the trace has %d, and words of %d\n%s%s", layer, made,
				len(failed), said, r.stdout, r.stderr)
		}
	}
}

// A Metal 4 command buffer has no GPU times of its own, and is used again and again: the feedback of each commit gives
// them, to the use that was committed. The client does not wait for the feedback of its last.
func TestMetal4Times(t *testing.T) {
	_, client := softMetal(t)
	r, file := traceSoft(t, exec.Command(client, "metal4"))
	begun, completed := map[wire.ObjectID]bool{}, map[wire.ObjectID]wire.More{}
	for _, e := range r.traced(t).events(t) {
		switch {
		case e.Call.String() == "beginCommandBufferWithAllocator:":
			begun[wire.ObjectID(e.Arg)] = true
		case e.Call == wire.CallCompleted:
			completed[e.Object] = *e.more
		}
	}
	if len(begun) != 3 || len(completed) == 0 {
		t.Errorf("%d uses of command buffers, not 3; %d of them completed", len(begun), len(completed))
	}
	for use, m := range completed {
		ran := slices.ContainsFunc(file.CommandBuffers,
			func(b truth.CommandBuffer) bool { return math.Abs(float64(m.X0)-float64(b.GPUStart)) < 1000 })
		if !begun[use] || !ran || m.X1 < m.X0 {
			t.Errorf("command buffer %d: GPU times %v, which no execution has", use, m)
		}
	}
}

// A program's own commit options serve one commit after another, or two at once, and many threads create and release
// them. A handler that the tracer adds for each commit would stay in them and report the times of every later commit as
// well, to the wrong command buffers. Each commit that is alone with its options has the times at which the device ran
// it; of two commits at once neither has times.
func TestMetal4Options(t *testing.T) {
	_, client := softMetal(t)
	r, file := traceSoft(t, exec.Command(client, "metal4-options"))
	if r.stdout != "handlers 26 26\n" || !r.state.Success() {
		t.Fatalf("ended with %v\n%s%s", r.state, r.stdout, r.stderr)
	}
	begin := wire.MustLookup(wire.FamilyMtl4CommandBuffer, "beginCommandBufferWithAllocator:")
	// by thread the uses in their order; by use its times
	begun, completed := map[uint64][]uint64{}, map[uint64][]wire.More{}
	p := r.traced(t)
	for _, e := range p.events(t) {
		switch e.Call {
		case begin:
			begun[e.thread] = append(begun[e.thread], e.Arg)
		case wire.CallCompleted:
			completed[uint64(e.Object)] = append(completed[uint64(e.Object)], *e.more)
		}
	}
	lives := map[truth.ObjectID]truth.CommandBuffer{}
	for _, b := range file.CommandBuffers {
		lives[b.ID] = b
	}
	timed := 0
	for _, c := range file.Calls {
		if c.Selector != begin.String() {
			continue
		}
		thread := uint64(c.Thread)
		use := begun[thread][0]
		begun[thread] = begun[thread][1:]
		life, times := lives[c.Result], completed[use]
		switch {
		case len(times) == 0 && life.GPUStart != 0: // one of two at once
		case len(times) != 1 || math.Abs(float64(times[0].X0)-float64(life.GPUStart)) > 1000 ||
			math.Abs(float64(times[0].X1)-float64(life.GPUEnd)) > 1000:
			t.Errorf("command buffer %d ran from %d to %d; the trace has %v", use, life.GPUStart, life.GPUEnd, times)
		default:
			timed++
		}
	}
	if timed != 24 {
		t.Errorf("%d command buffers have their times; it was 24, and two at once", timed)
	}
}

// The main use: eight Python threads through ctypes, waiting for the device or for events. Every call is in the trace,
// once, on its thread; nothing is lost; the program's output is unchanged.
func TestWorkload(t *testing.T) {
	install, _ := softMetal(t)
	for _, sync := range []string{"device", "event", "none"} {
		t.Run(sync, func(t *testing.T) {
			cmd := exec.Command(install.Launcher(), "/usr/bin/python3", "../fixtures/workload.py", "--backend", "metal", "--op",
				"axpy", "--size", "4096",
				"--threads", "8", "--iters", "20", "--sync-mode", sync)
			r, file := traceSoft(t, cmd)
			if !r.state.Success() || r.stderr != "" {
				t.Fatalf("ended with %v\n%s", r.state, r.stderr)
			}
			p := r.traced(t)
			compareWithTruth(t, p, file)
			for i := range p.rings {
				if lost := p.region.Ring(i).Dropped(); lost > 0 {
					t.Errorf("ring %d dropped %d records", i, lost)
				}
			}
			if lost := p.region.Losses(); lost.Unringed+lost.Unnumbered+lost.Rejected > 0 {
				t.Errorf("lost: %+v", lost)
			}
		})
	}
}
