package main

import (
	"testing"

	"mtrace/collector/wire"
)

// Methods that call themselves, chains of super, siblings that inherit one method, a wrapper around another object:
// four ways in which one call of the program is several calls of methods, and in which tracers before this one counted
// two, or crashed. Inner calls are counted apart.
func TestOneCallIsRecordedOnce(t *testing.T) {
	r := trace(t, client(t, "classes", "50"))
	r.compare(t)
	p := r.tracees[0]
	// Inner calls: commandBufferWithDescriptor: to commandBuffer and, in FamilyB, nothing else; computeCommandEncoder
	// to …WithDispatchType:; a wrapper's calls to the calls of the object in it.
	if nested := p.nested(); nested < 150 {
		t.Errorf("%d inner calls were counted, at least 150 were made", nested)
	}
	classes := map[string]bool{}
	for _, f := range p.facts(t) {
		if f.Kind == wire.FactClass {
			classes[f.Text] = true
		}
	}
	for _, name := range []string{"ShapesDevice", "ShapesQueue", "FamilyACommandBuffer", "FamilyBCommandBuffer",
		"WrapperCommandBuffer", "ShapesEncoder"} {
		if !classes[name] {
			t.Errorf("class %s was not named", name)
		}
	}
}

// A wrapper and the object in it are one command buffer to the program: created, committed and completed under one
// number.
func TestIdentity(t *testing.T) {
	r := trace(t, client(t, "classes", "20"))
	stages := map[wire.ObjectID][]string{}
	for _, e := range r.events(t) {
		switch e.Call.String() {
		case "commandBufferWithDescriptor:":
			stages[wire.ObjectID(e.Arg)] = append(stages[wire.ObjectID(e.Arg)], "created")
		case "enqueue", "commit", "waitUntilCompleted":
			stages[e.Object] = append(stages[e.Object], e.Call.String())
		case "completed":
			stages[e.Object] = append(stages[e.Object], "completed")
		}
	}
	if len(stages) != 60 {
		t.Errorf("%d command buffers, not 60", len(stages))
	}
	for id, s := range stages {
		// completed comes before commit: the client's command buffers complete inside it, and a call is written when it
		// returns.
		if len(s) != 5 || s[0] != "created" || s[1] != "enqueue" || s[2] != "completed" || s[3] != "commit" ||
			s[4] != "waitUntilCompleted" {
			t.Errorf("command buffer %d went through %v", id, s)
		}
	}
}

// A process may make a new command buffer at the address of one that is gone: smeltr attributed its work to the dead
// one. Here every creation makes a new number, and no reference of ours is left on the object.
func TestReusedAddress(t *testing.T) {
	r := trace(t, client(t, "reuse", "1000"))
	r.compare(t)
	if r.stderr != "1000 at the same address\n" {
		t.Fatalf("the client could not make its point: %s", r.stderr)
	}
	committed := map[wire.ObjectID]bool{}
	for _, e := range r.events(t) {
		if e.Call.String() == "commit" {
			committed[e.Object] = true
		}
	}
	if len(committed) != 1000 {
		t.Errorf("1000 command buffers were committed under %d numbers", len(committed))
	}
}

// A call that is left by an exception or by longjmp, also by a longjmp from a completion handler that it runs, does not
// return to its trampoline. The calls after it are outermost again, from whatever depth of the stack they are made.
func TestCallsThatDoNotReturn(t *testing.T) {
	for _, scenario := range []string{"exceptions", "jumps", "completion-jumps"} {
		t.Run(scenario, func(t *testing.T) {
			r := trace(t, client(t, scenario, "100"))
			r.compare(t)
			for i := range r.tracees[0].region.RingsUsed() {
				if _, _, call := r.tracees[0].region.Ring(i).Current(); call != wire.CallNone {
					t.Errorf("thread %d is reported as still inside %v", i, call)
				}
			}
		})
	}
}

// An object from before the tracer saw its class, one it did not see made, a method of the same name with another
// prototype, a call that fails: each is left as it was, and the program gets the results it would get.
func TestOddObjects(t *testing.T) {
	r := trace(t, client(t, "odd"))
	r.compare(t)
	failed, warned := 0, false
	for _, e := range r.events(t) {
		if e.Flags&wire.Failed != 0 {
			failed++
		}
	}
	for _, f := range r.tracees[0].facts(t) {
		warned = warned || f.Kind == wire.FactWarning
	}
	if failed != 2 {
		t.Errorf("%d calls are marked as failed, not the wait and the buffer of no bytes", failed)
	}
	if !warned {
		t.Errorf("no warning says that setSignaledValue: is not recorded")
	}
}

func TestErrnoIsKept(t *testing.T) {
	trace(t, client(t, "errno", "100")).compare(t)
}
