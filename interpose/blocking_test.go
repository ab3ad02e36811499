package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
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

// TestBlocking: each call that blocks outside of Metal is recorded with the kind of file that it waited for, and each
// wait at a barrier or a futex with the thread that ended the wait. A call that does not have to wait is not recorded,
// unless it is preempted for as long as a wait: therefore one run of several must be exact.
func TestBlocking(t *testing.T) {
	const runs = 5
	var got, want string
	for range runs {
		if got, want = blockedCalls(t); got == want {
			return
		}
	}
	t.Errorf("recorded\n%sthe program says\n%s", got, want)
}

// blockedCalls runs the program, and returns its recorded waits and those that it says it had.
func blockedCalls(t *testing.T) (recorded, said string) {
	t.Helper()
	r := trace(t, blocking(t))
	if !r.state.Success() {
		t.Fatalf("ended with %v\n%s%s", r.state, r.stdout, r.stderr)
	}
	p := r.traced(t)
	var got []string
	for _, e := range p.allEvents(t) {
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
	return strings.Join(got, "\n") + "\n", r.stdout
}

// TestBlockingOnDisk: a thread that waits for the disk is recorded, with the file.
func TestBlockingOnDisk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data")
	r := trace(t, blocking(t, "disk", file))
	if !r.state.Success() {
		t.Fatalf("ended with %v\n%s%s", r.state, r.stdout, r.stderr)
	}
	p, recorded := r.traced(t), map[string]string{}
	for _, e := range p.allEvents(t) {
		if e.Call.Row().Effect == wire.EffectAwaitsInput {
			recorded[e.Call.String()] = fmt.Sprint(wire.Descriptor(e.Object), " ", p.text(t, e.more.X0))
		}
	}
	const surely = 100_000 // nanoseconds: five times the least that is recorded
	for line := range strings.Lines(r.stdout) {
		var call string
		var nanos int
		if _, err := fmt.Sscan(line, &call, &nanos); err != nil {
			t.Fatalf("the program says %q", line)
		}
		if nanos < surely {
			t.Logf("%s took %d ns: this disk is too fast to see a wait", call, nanos)
		} else if recorded[call] != "a file "+file {
			t.Errorf("%s took %d ns, recorded: %q", call, nanos, recorded[call])
		}
	}
}

// TestBlockingWithoutMetal: a program that does not use Metal behaves the same, and nothing is recorded.
func TestBlockingWithoutMetal(t *testing.T) {
	r := trace(t, blocking(t, "none"))
	records := 0
	for _, p := range r.tracees {
		records += len(p.allEvents(t))
	}
	if !r.state.Success() || records > 0 {
		t.Errorf("ended with %v, %d records\n%s", r.state, records, r.stderr)
	}
}

// A signal handler that waits can interrupt its thread while the tracer writes a record. Recording the wait would
// garble that record, so the tracer must not record it. The test checks that the trace has only intact records.
func TestHandlerThatWaits(t *testing.T) {
	shapes := build(t, "libshapes.so", shapesCommand...)
	r := trace(t, exec.Command(build(t, "handlers", "gcc", "-O2", "-std=gnu11", "-Wall", "-Wextra", "-Werror",
		"-fobjc-exceptions", "-o", "OUT", "testdata/handlers.m", shapes, "-lobjc")))
	if !r.state.Success() {
		t.Fatalf("ended with %v\n%s%s", r.state, r.stdout, r.stderr)
	}
	var handled, waits int
	if fmt.Sscan(r.stdout, &handled); handled == 0 {
		t.Fatalf("no signal was handled: %q", r.stdout)
	}
	for _, e := range r.traced(t).allEvents(t) {
		switch e.Call.String() {
		case "nanosleep":
			waits++
		case "endEncoding", "newCommandQueue", "commandBuffer", "computeCommandEncoder", "MTLCreateSystemDefaultDevice",
			"thread start":
		default:
			t.Errorf("%v is in the trace, which the program did not call", e.Call)
		}
		if e.End < e.Begin {
			t.Errorf("%v ends before it begins", e.Call)
		}
	}
	if waits > handled {
		t.Errorf("%d waits of %d handlers", waits, handled)
	}
	t.Logf("%d handlers, %d waits", handled, waits)
}
