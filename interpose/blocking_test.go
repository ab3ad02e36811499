package main

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"mtrace/collector/wire"
)

// blocking is a run of testdata/blocking.cc.
func blocking(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	shapes := build(t, "libshapes.so", shapesCommand...)
	return exec.Command(build(t, "blocking", "g++", "-O1", "-g", "-std=c++20", "-rdynamic", "-Wall", "-Wextra", "-Werror",
		"-o", "OUT", "testdata/blocking.cc", shapes, "-lpthread"), args...)
}

// TestBlocking: every call that blocks outside of Metal is recorded with what it waited for, and a wait at a barrier or a
// futex with the thread that ended it; a call that need not wait is not recorded.
func TestBlocking(t *testing.T) {
	r := trace(t, blocking(t))
	if !r.state.Success() {
		t.Fatalf("ended with %v\n%s%s", r.state, r.stdout, r.stderr)
	}
	p := r.traced(t)
	var got []string
	for _, e := range p.events(t) {
		row := e.Call.Row()
		signal := row.Effect == wire.EffectListens && (row.Selector == "pthread_barrier_wait" || row.Selector == "futex")
		if !row.Effect.Blocks() && !signal || e.thread != uint64(r.state.Pid()) {
			continue
		}
		if signal {
			got = append(got, fmt.Sprintf("%s signal %d 0 ", e.Call, e.Arg))
			continue
		}
		kind, failed := "none", 0
		if e.Call.Row().Effect == wire.EffectAwaitsInput {
			kind = strings.ReplaceAll(wire.Descriptor(e.Object).Name(), " ", "_")
		}
		if e.Flags&wire.Failed != 0 {
			failed = 1
		}
		got = append(got, fmt.Sprintf("%s %s %d %d %s", e.Call, kind, e.Arg, failed, p.text(t, e.more.X0)))
	}
	if got, want := strings.Join(got, "\n")+"\n", r.stdout; got != want {
		t.Errorf("recorded\n%sthe program says\n%s", got, want)
	}
}

// TestBlockingWithoutMetal: a program that does not use Metal behaves the same, and nothing is recorded.
func TestBlockingWithoutMetal(t *testing.T) {
	if r := trace(t, blocking(t, "none")); !r.state.Success() || len(r.events(t)) > 0 {
		t.Errorf("ended with %v, %d records\n%s", r.state, len(r.events(t)), r.stderr)
	}
}
