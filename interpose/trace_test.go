package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// A run has a traced program's exit and the collected data.
type run struct {
	tracees        []*tracee
	stdout, stderr string
	state          *os.ProcessState
}

// trace runs a command with the library in it and collects until it and its children are gone.
func trace(t testing.TB, cmd *exec.Cmd) run {
	t.Helper()
	return traceWith(t, cmd, library(t), func(*os.Process) {})
}

// traceWith is trace with another library, or none for a program that holds the shim itself, and something to do with
// the process once it has started.
func traceWith(t testing.TB, cmd *exec.Cmd, preload string, started func(*os.Process)) run {
	t.Helper()
	path, finish := listen(t)
	cmd.Env = append(append(os.Environ(), cmd.Env...), "MTRACE_SOCKET="+path, "LD_PRELOAD="+preload)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	started(cmd.Process)
	watchdog := time.AfterFunc(4*time.Minute, func() { cmd.Process.Kill() })
	cmd.Wait()
	if !watchdog.Stop() {
		t.Errorf("%v hung", cmd.Args)
	}
	r := run{finish(), stdout.String(), stderr.String(), cmd.ProcessState}
	for _, p := range r.tracees {
		if p.err != nil {
			t.Errorf("process %d: %v", p.hello.PID, p.err)
		}
	}
	return r
}

// shapesCommand builds testdata/shapes.m.
var shapesCommand = []string{"gcc", "-O2", "-g", "-std=gnu11", "-fPIC", "-shared", "-o", "OUT", "testdata/shapes.m",
	"-lobjc", "-lBlocksRuntime"}

// client is a run of testdata/client.m in one of its scenarios.
func client(t testing.TB, scenario ...string) *exec.Cmd {
	t.Helper()
	shapes := build(t, "libshapes.so", shapesCommand...)
	program := build(t, "client", "gcc", "-O2", "-g", "-std=gnu11", "-fobjc-exceptions", "-rdynamic", "-o", "OUT",
		"testdata/client.m", shapes, "-lobjc", "-lpthread")
	return exec.Command(program, scenario...)
}

// events returns the events of all processes of the run.
func (r run) events(t testing.TB) (events []event) {
	t.Helper()
	for _, p := range r.tracees {
		events = append(events, p.events(t)...)
	}
	return events
}

// compare checks the trace against the client's own list of its calls, call by call and thread by thread, and that the
// client ended well.
func (r run) compare(t testing.TB) {
	t.Helper()
	if !r.state.Success() {
		t.Errorf("the program ended with %v\n%s", r.state, r.stderr)
	}
	want := map[string]int{}
	for _, line := range strings.Split(strings.TrimSpace(r.stdout), "\n") {
		var thread, times int
		var selector string
		if _, err := fmt.Sscan(line, &thread, &selector, &times); err != nil {
			t.Fatalf("the program says %q", line)
		}
		want[fmt.Sprint(thread, " ", selector)] += times
	}
	got := calls(r.events(t))
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if got[key] != want[key] {
			t.Errorf("%s: recorded %d, made %d", key, got[key], want[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if _, there := got[key]; !there {
			t.Errorf("%s: recorded 0, made %d", key, want[key])
		}
	}
	for _, p := range r.tracees {
		for i := range p.rings {
			if p.region == nil {
				break
			}
			if lost := p.region.Ring(i).Dropped(); lost > 0 {
				t.Errorf("ring %d dropped %d records", i, lost)
			}
		}
	}
}
