package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/collector/wire"
)

// dispatchProgram is testdata/dispatch.c linked with all of the C half, with a dispatch library that testdata/debian.sh
// downloaded, and the C library that belongs to it.
func dispatchProgram(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("MTRACE_TEST_DISPATCH")
	if folder == "" {
		t.Skip("no dispatch library: testdata/debian.sh dispatch FOLDER brings one; MTRACE_TEST_DISPATCH names the folder")
	}
	loader, _ := filepath.Glob(filepath.Join(folder, "ld-linux-*.so.*"))
	if len(loader) != 1 {
		t.Fatalf("%s has no dynamic linker", folder)
	}
	shapes := build(t, "libshapes.so", shapesCommand...)
	command := []string{"gcc", "-O1", "-g", "-std=gnu11", "-D_GNU_SOURCE", "-DMTRACE_SMALL", "-fvisibility=hidden",
		"-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter",
		"-o", "OUT", "testdata/dispatch.c", "testdata/drainer.c", "waits/queues_darwin.c", "waits/semaphores_darwin.c"}
	command = append(command, shimSources(t)...)
	return build(t, "dispatch", append(command, "-Wl,--no-as-needed", shapes, "-L"+folder, "-ldispatch",
		"-lBlocksRuntime", "-lobjc", "-lpthread", "-ldl", "-rdynamic",
		"-Wl,--allow-shlib-undefined", "-Wl,--dynamic-linker="+loader[0], "-Wl,-rpath,"+folder)...)
}

// Every wait for a dispatch queue, a dispatch semaphore and a dispatch group is recorded, a queue's with the queue's
// label and the thread that held it: for functions, for blocks, and for blocks from dispatch_block_create. Dispatch
// must get these unchanged, because they contain how to run them. Blocks run once, on the thread that waits, as without
// the tracer, and are freed.
func TestQueues(t *testing.T) {
	program := dispatchProgram(t)
	for _, stacks := range []string{"off", "native"} {
		cmd := exec.Command(program)
		cmd.Env = []string{"MTRACE_STACKS=" + stacks}
		r := traceWith(t, cmd, "", func(*os.Process) {})
		if !r.state.Success() {
			t.Fatalf("ended with %v\n%s", r.state, r.stderr)
		}
		var main uint64
		fmt.Sscan(r.stdout, &main)
		p, got := r.traced(t), ""
		for _, e := range p.events(t) {
			if e.thread == main && strings.HasPrefix(e.Call.String(), "dispatch_") {
				name := p.text(t, e.more.X0)
				if strings.HasPrefix(e.Call.String(), "dispatch_semaphore") || e.Call.Row().Family == wire.FamilySignal {
					name = e.Call.Row().Family.String()
				}
				got += fmt.Sprintln(e.thread, e.Call, name, e.Arg)
				if e.End-e.Begin == 0 {
					t.Errorf("%v: %+v", e.Call, e.Record)
				}
			}
		}
		if got != r.stdout {
			t.Errorf("stacks %s: recorded\n%sthe program says\n%s", stacks, got, r.stdout)
		}
	}
}
