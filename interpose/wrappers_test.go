package main

import (
	"maps"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	"mtrace/collector/wire"
)

// sides are the choices of hooking a wrapper or the wrapped object, by the classes that are left alone.
var sides = map[string]string{"both": "", "only what is wrapped": "MTLDebug*,MTLTools*",
	"only the wrapper": "SMG1*,IOGPU*"}

// census counts the calls that a program makes once with any layer: one for each command buffer, encoder and wait.
func census(events []event) map[string]int {
	counts := map[string]int{}
	for _, e := range events {
		switch name := e.Call.String(); {
		case e.Call == wire.CallCompleted:
			counts["completed"]++
		case name == "commit", name == "endEncoding", name == "waitUntilCompleted", strings.HasPrefix(name, "commandBuffer"),
			strings.Contains(name, "CommandEncoder"):
			counts[name]++
		}
	}
	return counts
}

// A tracer that hooks the validation layer's MTLDebug and MTLTools classes crashed, and one that leaves them alone may
// see every call twice, or none. Whether the wrapper is hooked, the wrapped object, or both: the program's output is
// the same, each command buffer, encoder and wait is recorded once, and each command buffer that ran has its times.
func TestWrappersHookedOnEitherSide(t *testing.T) {
	_, client := softMetal(t)
	for _, check := range []string{"times", "handlers", "status", "layer"} {
		plain := exec.Command(client, check)
		plain.Env = append(os.Environ(), "MTL_DEBUG_LAYER=1")
		want, err := plain.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", check, err, want)
		}
		var first map[string]int
		for side, skipped := range sides {
			t.Run(check+"/"+side, func(t *testing.T) {
				cmd := exec.Command(client, check)
				cmd.Env = []string{"MTL_DEBUG_LAYER=1", "MTRACE_SKIP_CLASSES=" + skipped}
				r, file := traceSoft(t, cmd)
				if got := r.stdout + r.stderr; got != string(want) || !r.state.Success() {
					t.Errorf("ended with %v and said\n%swithout the tracer\n%s", r.state, got, want)
				}
				p := r.traced(t)
				if skipped == "" {
					compareWithTruth(t, p, file)
				}
				counts := census(p.events(t))
				if first == nil {
					first = counts
				} else if !maps.Equal(first, counts) {
					t.Errorf("%v are recorded, on another side %v", counts, first)
				}
				timed := 0
				for _, b := range file.CommandBuffers {
					for _, e := range p.events(t) {
						if b.GPUStart != 0 && e.Call == wire.CallCompleted && math.Abs(float64(e.more.X0)-float64(b.GPUStart)) < 1000 &&
							math.Abs(float64(e.more.X1)-float64(b.GPUEnd)) < 1000 {
							timed++
							break
						}
					}
				}
				ran := 0
				for _, b := range file.CommandBuffers {
					if b.GPUStart != 0 {
						ran++
					}
				}
				if timed != ran {
					t.Errorf("%d of %d command buffers that ran have their times", timed, ran)
				}
			})
		}
		if first["commit"] == 0 || first["completed"] == 0 {
			t.Errorf("%s records only %v", check, first)
		}
	}
}

// Classes that the user excludes are not traced, and the trace lists them: a user whose program fails under the tracer
// finds the class by bisection.
func TestSkippedClassesAreSaid(t *testing.T) {
	_, client := softMetal(t)
	cmd := exec.Command(client, "times")
	cmd.Env = []string{"MTRACE_SKIP_CLASSES=NoSuchClass,SMG1FamilyCommandBuffer"}
	r, _ := traceSoft(t, cmd)
	p := r.traced(t)
	if n := recorded(p.events(t), "commit"); n != 0 {
		t.Errorf("%d commits of a class that is left alone are recorded", n)
	}
	if n := recorded(p.events(t), "commandBuffer"); n == 0 {
		t.Error("and nothing of the others")
	}
	said := 0
	for _, f := range p.facts(t) {
		if f.Kind == wire.FactWarning && strings.Contains(f.Text, "SMG1FamilyCommandBuffer is not hooked") {
			said++
		}
	}
	if said != 1 {
		t.Errorf("the warning is there %d times", said)
	}
}

// A queue whose creation was not seen, such as one of a class that is left alone, creates command buffers that no
// hooked method returns. None of their commits was seen, although they all pass the initializer of their
// base class.
func TestCommandBuffersOfAnUnseenQueue(t *testing.T) {
	_, client := softMetal(t)
	plain := exec.Command(client, "times")
	want, err := plain.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(client, "times")
	cmd.Env = []string{"MTRACE_SKIP_CLASSES=SMG1FamilyCommandQueue,IOGPUMetalCommandQueue,_MTLCommandQueue"}
	r, file := traceSoft(t, cmd)
	if r.stdout+r.stderr != string(want) || !r.state.Success() {
		t.Errorf("ended with %v\n%s%s", r.state, r.stdout, r.stderr)
	}
	counts := census(r.traced(t).events(t))
	if counts["commandBuffer"] != 0 || counts["commit"] != len(file.CommandBuffers) || counts["completed"] == 0 {
		t.Errorf("%v are recorded of %d command buffers", counts, len(file.CommandBuffers))
	}
}

// Handlers of command buffers that were never committed may run (WebKit/WebKit#39597). The tracer's handler is added in
// the commit, so a command buffer that was given up is not recorded as completed. The strict software Metal also aborts
// where a handler is added with an encoder open, which no macOS is known to do: a program behaves there as it does
// untraced.
func TestNoHandlerBeforeTheCommit(t *testing.T) {
	_, client := softMetal(t)
	for check, completed := range map[string]int{"handlers": 1, "never-committed": 0, "times": -1} {
		for _, layer := range []string{"0", "1"} {
			env := []string{"SOFTMETAL_HANDLERS=strict", "MTL_DEBUG_LAYER=" + layer}
			plain := exec.Command(client, check)
			plain.Env = append(os.Environ(), env...)
			want, err := plain.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", check, err, want)
			}
			cmd := exec.Command(client, check)
			cmd.Env = env
			r, _ := traceSoft(t, cmd)
			if got := r.stdout + r.stderr; got != string(want) || !r.state.Success() {
				t.Errorf("%s, %v: ended with %v and said\n%swithout the tracer\n%s", check, env, r.state, got, want)
			}
			if n := census(r.traced(t).events(t))["completed"]; completed >= 0 && n != completed {
				t.Errorf("%s, %v: %d completions recorded, not %d", check, env, n, completed)
			}
		}
	}
}
