package main

import (
	"errors"
	"fmt"
	"maps"
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
	command := append([]string{"gcc", "-x", "objective-c", "-std=gnu11", "-O1", "-isystem", "/usr/include/GNUstep", "-fconstant-string-class=NSConstantString",
		"-DGNUSTEP", "-DGNUSTEP_BASE_LIBRARY=1", "-fobjc-exceptions", "-o", "OUT"}, sources...)
	client = build(t, "softmetal-client", append(command, "-x", "none", install.Library(), "-lgnustep-base", "-lobjc", "-lBlocksRuntime", "-lpthread", "-Wl,-rpath,"+install.Dir)...)
	return install, client
}

// traceSoft runs a program on the software Metal and returns the trace with what really happened.
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

// inTable holds every selector that is recorded, of whatever family.
var inTable = func() map[string]bool {
	known := map[string]bool{}
	for _, row := range wire.Table {
		known[row.Selector] = row.Group != wire.GroupNone
	}
	return known
}()

// layers are the selectors of Metal Performance Shaders.
var layers = func() map[string]wire.Family {
	known := map[string]wire.Family{}
	for _, row := range wire.Table {
		switch row.Family {
		case wire.FamilyMpsKernel, wire.FamilyMpsGraph, wire.FamilyMpsCommandBuffer:
			known[row.Selector] = row.Family
		}
	}
	return known
}()

// made says how often each thread made each recorded call itself: not within another recorded one, and not on a thread of the
// software Metal, whose calls a tracer may see and cannot tell from the program's.
func made(file *truth.File) map[string]int {
	counts := map[string]int{}
	classes := map[truth.ObjectID]string{}
	for _, o := range file.Objects {
		classes[o.ID] = o.Class
	}
	within := map[truth.ThreadID]truth.Nanos{} // the end of the recorded call each thread is in
	type layer struct {
		thread truth.ThreadID
		family wire.Family
	}
	encoding := map[layer]truth.Nanos{} // the same of the kernel or graph each thread encodes for: what these call is recorded too
	for _, c := range file.Calls {
		// A command in an indirect command buffer has selectors of an encoder, and is none: it has no birth of its own either.
		if !inTable[c.Selector] || c.Begin < within[c.Thread] || c.Selector == "setComputePipelineState:" && classes[c.Object] == "" {
			continue
		}
		if family, is := layers[c.Selector]; is {
			at := layer{c.Thread, family}
			if c.Begin >= encoding[at] {
				encoding[at] = max(c.End, c.Begin)
				counts[fmt.Sprint(c.Thread, " ", c.Selector)]++
			}
			continue
		}
		within[c.Thread] = max(c.End, c.Begin)
		// The tracer gives a Metal 4 commit options to get its GPU times.
		selector := strings.Replace(c.Selector, "commit:count:options:", "commit:count:", 1)
		counts[fmt.Sprint(c.Thread, " ", selector)]++
		if c.Selector == "commit" && strings.Contains(classes[c.Object], "CommandBuffer") {
			counts[fmt.Sprint(c.Thread, " addCompletedHandler:")]-- // the one the tracer adds, just before
		}
	}
	return counts
}

// compareWithTruth checks the trace call by call and thread by thread.
func compareWithTruth(t testing.TB, p *tracee, file *truth.File) {
	t.Helper()
	want, got := made(file), calls(p.events(t))
	maps.DeleteFunc(got, func(key string, _ int) bool {
		// C functions are not in the truth file, nor is dealloc, which the program does not call.
		_, name, _ := strings.Cut(key, " ")
		return name == "MTLCreateSystemDefaultDevice" || strings.HasPrefix(name, "MTLCopyAllDevices") || name == "dealloc"
	})
	for key, n := range got {
		if with, found := strings.CutSuffix(key, "options:"); found && strings.HasSuffix(with, " commit:count:") {
			got[with] += n
			delete(got, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if got[key] != want[key] {
			t.Errorf("%s: recorded %d, made %d", key, got[key], want[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		var thread truth.ThreadID
		fmt.Sscan(key, &thread)
		if _, there := want[key]; !there && !file.Internal(thread) {
			t.Errorf("%s: recorded %d, made 0", key, got[key])
		}
	}
}

// Every check of the software Metal's own client, with and without Metal's validation layer: the program says and does the
// same under the tracer, and the trace has the calls that were made, each once, on the thread that made it.
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
	unknown, exercised := map[string]bool{}, map[wire.Call]bool{}
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
					exercised[e.Call] = true
				}
				for key := range file.Counts() {
					unknown[key.Selector] = unknown[key.Selector] || !inTable[key.Selector]
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
	everyRowExercised(t, exercised)
}

// pastTheHooks are checks whose calls are not all recorded, on purpose: TestCommitsPastTheHooksAreCounted knows what they do.
var pastTheHooks = map[string]string{
	"cached-implementation": "a quarter of its commits go past the hooks",
	"strange-queue":         "its queue is of a class that no method returned",
}

// notExercised says why rows of the table that this Metal has methods for are not in any check's trace.
var notExercised = map[string]string{
	"sampleCountersInBuffer:atSampleIndex:withBarrier:":        "aborts the program, as on every GPU of Apple's",
	"commitCommandBuffer:wake:":                                "counted, not recorded",
	"commandBufferDidComplete:startTime:completionTime:error:": "counted, not recorded",
}

// everyRowExercised checks that each row of the hook table that the software Metal can execute was executed, and so compared with
// truth, at least once.
func everyRowExercised(t *testing.T, exercised map[wire.Call]bool) {
	t.Helper()
	implemented := map[string]bool{}
	for _, folder := range []string{"framework", "driver"} {
		sources, _ := filepath.Glob("../fixtures/softmetal/" + folder + "/*.m")
		for _, source := range sources {
			text, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			for _, method := range regexp.MustCompile(`(?m)^- \([^\n{]*\{`).FindAllString(string(text), -1) {
				implemented[selectorOf(method)] = true
			}
		}
	}
	if !implemented["newBufferWithLength:options:"] || !implemented["commandBuffer"] {
		t.Fatal("the software Metal's methods were not found")
	}
	rows, missing, sent := 0, 0, map[string]bool{}
	for c := range wire.Table {
		sent[wire.Call(c).String()] = sent[wire.Call(c).String()] || exercised[wire.Call(c)]
	}
	for selector := range sent {
		switch reason := notExercised[selector]; {
		case !implemented[selector]:
		case sent[selector] && reason != "":
			t.Errorf("%s is exercised; delete the reason why not: %s", selector, reason)
		case !sent[selector] && reason == "":
			missing++
			t.Errorf("%s is implemented, and no check sends it", selector)
		default:
			rows++
		}
	}
	t.Logf("%d selectors of the table are implemented here and compared with truth, or left out for a reason; %d are not; %d are not implemented here", rows, missing, len(sent)-rows-missing)
}

// selectorOf is the selector of a method's first line.
func selectorOf(method string) string {
	keywords := regexp.MustCompile(`(\w+):\s*\(`).FindAllStringSubmatch(method, -1)
	if len(keywords) == 0 {
		return regexp.MustCompile(`\)\s*(\w+)\s*\{$`).ReplaceAllString(regexp.MustCompile(`\)\s*(\w+)\s*\{$`).FindString(method), "$1")
	}
	selector := ""
	for _, k := range keywords {
		selector += k[1] + ":"
	}
	return selector
}

// The GPU times the handler wrote are those at which the device ran the command buffer, to the microsecond; and each command
// buffer that ran has them. A wrapper of the validation layer that does not know the times itself asks what it wraps; the tracer
// once took the 0 of a method that is not there for the answer.
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
			found = found || math.Abs(float64(m.X0)-float64(b.GPUStart)) < 1000 && math.Abs(float64(m.X1)-float64(b.GPUEnd)) < 1000
		}
		if !found {
			t.Errorf("command buffer %d ran from %d to %d; the trace has %v", b.ID, b.GPUStart, b.GPUEnd, got)
		}
	}
	if len(got) == 0 {
		t.Errorf("no command buffer completed")
	}
}

// A Metal 4 command buffer has no GPU times of its own, and is used again and again: the feedback of each commit gives them, to
// the use that was committed. The client does not wait for the feedback of its last.
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
		ran := slices.ContainsFunc(file.CommandBuffers, func(b truth.CommandBuffer) bool { return math.Abs(float64(m.X0)-float64(b.GPUStart)) < 1000 })
		if !begun[use] || !ran || m.X1 < m.X0 {
			t.Errorf("command buffer %d: GPU times %v, which no execution has", use, m)
		}
	}
}

// The main job: eight Python threads through ctypes, waiting for the device or for events. Every call is in the trace, each
// once, on its thread; nothing is lost; the program prints what it prints.
func TestWorkload(t *testing.T) {
	install, _ := softMetal(t)
	for _, sync := range []string{"device", "event", "none"} {
		t.Run(sync, func(t *testing.T) {
			cmd := exec.Command(install.Launcher(), "/usr/bin/python3", "../fixtures/workload.py", "--backend", "metal", "--op", "axpy", "--size", "4096",
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
