package main

import (
	"os/exec"
	"testing"
)

// Classes are hooked while other threads send messages to their objects, and to objects of their subclasses. GCC's
// class_addMethod frees the table that those threads are reading: two of three traced runs of this program ended with
// SIGSEGV. With a runtime that knew of a second thread one of three still did, because it then writes links into the
// tables instead. Now no memory that a thread may read is freed, or overwritten with anything but the right content.
func TestClassesHookedWhileInUse(t *testing.T) {
	shapes := build(t, "libshapes.so", shapesCommand...)
	program := build(t, "latehooks", "gcc", "-O2", "-g", "-std=gnu11", "-rdynamic", "-o", "OUT", "testdata/latehooks.m",
		shapes, "-lobjc", "-lpthread")
	for range 10 {
		r := trace(t, exec.Command(program, "8"))
		if r.stdout != "ok\n" || !r.state.Success() {
			t.Fatalf("ended with %v and said %q", r.state, r.stdout)
		}
		if n := recorded(r.events(t), "endEncoding"); n != 16 {
			t.Errorf("%d calls to encoders were recorded, not 16: their classes were not hooked", n)
		}
	}
}

// Looking up a class by its name initialized the class, while the tracer held its lock: a +initialize that waits for a
// thread which encounters a new class waits for ever. Classes are hooked without a message to them, and without a
// resolver, which would be one.
func TestHookingInitializesNoClass(t *testing.T) {
	shapes := build(t, "libshapes.so", shapesCommand...)
	library := build(t, "liblateclass.so", "gcc", "-O2", "-g", "-std=gnu11", "-fPIC", "-shared", "-DLIBRARY", "-o", "OUT",
		"testdata/lateclass.m", shapes, "-lobjc")
	program := build(t, "lateclass", "gcc", "-O2", "-g", "-std=gnu11", "-rdynamic", "-o", "OUT", "testdata/lateclass.m",
		shapes, "-lobjc", "-ldl")
	r := trace(t, exec.Command(program, library))
	if r.stdout != "0 1\n" || !r.state.Success() {
		t.Errorf("initialized before and after the first message: %q; ended with %v\n%s", r.stdout, r.state, r.stderr)
	}
}
