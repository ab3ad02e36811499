package main

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"mtrace/collector/wire"
)

// audits sums the process's counters at Metal's choke points, over its threads.
func (p *tracee) audits() (commits, completions wire.Audit) {
	for i := range p.region.RingsUsed() {
		commits.Add(p.region.Ring(i).Commits())
		completions.Add(p.region.Ring(i).Completions())
	}
	return commits, completions
}

// recorded is how many calls of a selector are in the trace.
func recorded(events []event, selector string) (n int) {
	for _, e := range events {
		if e.Call.String() == selector {
			n++
		}
	}
	return n
}

// unhooked returns the classes that the library reports as seen without hooks.
func (p *tracee) unhooked(t *testing.T) map[string]bool {
	t.Helper()
	classes := map[string]bool{}
	for _, f := range p.facts(t) {
		if f.Kind == wire.FactUnhooked {
			classes[f.Text] = true
		}
	}
	return classes
}

// A selector sent through an implementation that was looked up before it was hooked passes every tracer that replaces
// methods, and a tracer that does not know it reports nonsense as if it were everything. Below the hooks Metal sends
// each command buffer to its queue: there it is counted.
func TestCommitsPastTheHooksAreCounted(t *testing.T) {
	_, client := softMetal(t)
	for _, c := range []struct {
		scenario             string
		commits, completions wire.Audit
		unhooked             []string
	}{
		{"cached-implementation", wire.Audit{Reached: 40, Missed: 10}, wire.Audit{Reached: 40, Missed: 10}, nil},
		// No method returned an object of its queue's class. The initializer of the command buffers' base class records
		// its command buffers.
		{"strange-queue", wire.Audit{Reached: 5}, wire.Audit{Reached: 5}, nil},
		{"live-objects", wire.Audit{Reached: 20}, wire.Audit{Reached: 20}, nil},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			r := trace(t, exec.Command(client, c.scenario))
			p := r.traced(t)
			commits, completions := p.audits()
			if commits != c.commits || completions != c.completions {
				t.Errorf("commits %+v, completions %+v; made %+v and %+v", commits, completions, c.commits, c.completions)
			}
			if got := recorded(p.events(t), "commit"); uint64(got) != c.commits.Seen() {
				t.Errorf("%d commits recorded, %d counted as seen", got, c.commits.Seen())
			}
			classes := p.unhooked(t)
			for _, name := range c.unhooked {
				if !classes[name] {
					t.Errorf("%s is not said to be unhooked", name)
				}
			}
			if len(classes) != len(c.unhooked) {
				t.Errorf("said to be unhooked: %v", classes)
			}
		})
	}
}

// The self-check makes its calls on a queue of its own. All are seen, none is in the program's figures, the program's
// objects keep their numbers, and no object of the check is left over, behind the validation layer too.
func TestCanary(t *testing.T) {
	_, client := softMetal(t)
	for _, layer := range []string{"0", "1"} {
		t.Run("MTL_DEBUG_LAYER="+layer, func(t *testing.T) {
			command := func(check string) *exec.Cmd {
				cmd := exec.Command(client, "live-objects")
				cmd.Env = []string{"MTL_DEBUG_LAYER=" + layer, "MTRACE_SELF_CHECK=" + check}
				return cmd
			}
			without, with := trace(t, command("0")), trace(t, command("1"))
			if with.stdout != without.stdout {
				t.Errorf("objects left: %q with the check, %q without", with.stdout, without.stdout)
			}
			a, b := without.traced(t), with.traced(t)
			if x, y := calls(a.events(t)), calls(b.events(t)); sum(x) != sum(y) {
				t.Errorf("%d calls recorded with the check, %d without", sum(y), sum(x))
			}
			// Later objects may have other numbers for another reason: a lock that a thread waits for gets one too.
			if x, y := firstQueue(a.events(t)), firstQueue(b.events(t)); x != 2 || y != 2 {
				t.Errorf("the program's first queue is object %d with the check and %d without, not 2", y, x)
			}
			commitsA, completionsA := a.audits()
			commitsB, completionsB := b.audits()
			if commitsA != commitsB || completionsA != completionsB {
				t.Errorf("audits with the check: %v %v, without %v %v", commitsB, completionsB, commitsA, completionsA)
			}
			if x, y := a.nested(), b.nested(); x != y {
				t.Errorf("%d inner calls with the check, %d without", y, x)
			}
			made, seen := map[wire.Call]int{}, map[wire.Call]int{}
			for _, f := range b.facts(t) {
				if f.Kind == wire.FactCanary {
					made[wire.Call(f.Key)] = int(f.Aux)
				}
			}
			for _, e := range b.events(t) {
				if e.Call == wire.CallCanary {
					seen[wire.Call(e.Arg)]++
				}
			}
			if fmt.Sprint(made) != fmt.Sprint(seen) || len(made) < 9 {
				t.Errorf("made %v, seen %v", made, seen)
			}
			for _, f := range a.facts(t) {
				if f.Kind == wire.FactCanary {
					t.Errorf("a check that was not asked for: %+v", f)
				}
			}
		})
	}
}

func sum(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// firstQueue is the number of the first queue that the program made.
func firstQueue(events []event) uint64 {
	for _, e := range events {
		if e.Call.String() == "newCommandQueue" {
			return e.Arg
		}
	}
	return 0
}

// The constructor of a library that the program links runs before the tracer's own: the device it made was once the
// program's only one, and not a call was seen.
func TestDeviceMadeBeforeTheTracer(t *testing.T) {
	install, _ := softMetal(t)
	library := build(t, "libearly.so", "gcc", "-O1", "-DLIBRARY", "-fPIC", "-shared", "-o", "OUT", "testdata/early.c",
		install.Library(), "-lobjc", "-Wl,-rpath,"+install.Dir)
	program := build(t, "early", "gcc", "-O1", "-o", "OUT", "testdata/early.c", library, install.Library(), "-lobjc",
		"-Wl,-rpath,"+install.Dir)
	r := trace(t, exec.Command(program))
	if r.stdout != "done\n" || !r.state.Success() {
		t.Fatalf("ended with %v\n%s%s", r.state, r.stdout, r.stderr)
	}
	events := r.traced(t).events(t)
	for _, selector := range []string{"MTLCreateSystemDefaultDevice", "newCommandQueue", "commandBuffer", "commit",
		"waitUntilCompleted"} {
		if n := recorded(events, selector); n != 1 {
			t.Errorf("%s: recorded %d times", selector, n)
		}
	}
}

// The system's frameworks make devices by calls that dyld cannot replace, so that nothing which Core ML or Core Image
// did was seen. The initializer of Metal's base class sees every device.
func TestDeviceMadeBehindTheTracer(t *testing.T) {
	install, _ := softMetal(t)
	program := build(t, "display", "gcc", "-O1", "-DDISPLAY", "-o", "OUT", "testdata/early.c", install.Library(),
		"-lobjc", "-Wl,-rpath,"+install.Dir)
	r := trace(t, exec.Command(program))
	if r.stdout != "done\n" || !r.state.Success() {
		t.Fatalf("ended with %v\n%s%s", r.state, r.stdout, r.stderr)
	}
	p := r.traced(t)
	for _, selector := range []string{"newCommandQueue", "commandBuffer", "commit", "waitUntilCompleted", "completed"} {
		if n := recorded(p.events(t), selector); n != 1 {
			t.Errorf("%s: recorded %d times", selector, n)
		}
	}
	devices := 0
	for _, f := range p.facts(t) {
		if f.Kind == wire.FactDevice {
			devices++
		}
	}
	if devices != 1 {
		t.Errorf("%d devices are named", devices)
	}
}

// Python opens Metal late, and gets a device by a function that is not replaced: the program's search for that function
// shows that Metal has come, and the initializer of its base class is hooked then.
func TestDeviceOfALateMetal(t *testing.T) {
	install, _ := softMetal(t)
	const program = `
import ctypes
metal = ctypes.CDLL("/System/Library/Frameworks/Metal.framework/Metal")
metal.CGDirectDisplayCopyCurrentMetalDevice.restype = ctypes.c_void_p
print(bool(metal.CGDirectDisplayCopyCurrentMetalDevice(0)))
`
	r := trace(t, exec.Command(install.Launcher(), "/usr/bin/python3", "-c", program))
	if r.stdout != "True\n" || !r.state.Success() {
		t.Fatalf("ended with %v\n%s%s", r.state, r.stdout, r.stderr)
	}
	r.traced(t)
}

// A process whose Metal the tracer cannot reach, here in a linker namespace of its own, reports at its end that it was
// not traced.
func TestUnseenDevice(t *testing.T) {
	install, _ := softMetal(t)
	r := trace(t, exec.Command(linkingHost(t), "namespace", plugin(t, "linking-plugin.so", "own", linkedWith(install)...)))
	if !strings.HasSuffix(r.stdout, "status 4\n") {
		t.Fatalf("ended with %v\n%s%s", r.state, r.stdout, r.stderr)
	}
	warnings := 0
	for _, p := range r.tracees {
		if p.region != nil {
			t.Errorf("a device was seen: this test needs another way to get one")
		}
		said, err := wire.DecodeFacts(p.loose)
		if err != nil {
			t.Error(err)
		}
		for _, f := range said {
			if f.Kind == wire.FactWarning && f.Key == wire.UnseenDevice {
				warnings++
			}
		}
	}
	if warnings != 1 {
		t.Errorf("%d processes say that they were blind", warnings)
	}
}
