package main

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"mtrace/collector/wire"
)

// signals is a run of testdata/signals.cc.
func signals(t testing.TB) *exec.Cmd {
	t.Helper()
	shapes := build(t, "libshapes.so", shapesCommand...)
	return exec.Command(build(t, "signals", "g++", "-O2", "-g", "-std=c++17", "-rdynamic", "-Wall", "-Wextra", "-Werror", "-o", "OUT", "testdata/signals.cc", shapes, "-lpthread"))
}

// Every wait for a signal is recorded with who gave it, and is none for a lock; a semaphore that is free is not waited for; threads that
// are cancelled in a wait, and in one that need not wait, end as without the tracer.
func TestSignals(t *testing.T) {
	r := trace(t, signals(t))
	if !r.state.Success() {
		t.Fatalf("ended with %v\n%s", r.state, r.stderr)
	}
	p := r.traced(t)
	var main, addressOfRequests uint64
	fmt.Sscan(r.stdout, &main)
	var got []string
	for _, e := range p.events(t) {
		if e.Call.Row().Family != wire.FamilySignal || e.thread != main {
			continue
		}
		gave := 0
		if e.more.X2 != 0 && e.Call.String() == "pthread_cond_timedwait" {
			gave, addressOfRequests = 1, e.more.X2
		}
		failed := 0
		if e.Flags&wire.Failed != 0 {
			failed = 1
		}
		got = append(got, fmt.Sprintf("%d %s %d %d %d %d", e.thread, e.Call, e.Arg, failed, e.Object, gave))
		if ago := wire.Ticks(e.more.X3); e.Arg != 0 && (ago == 0 || ago >= e.End-e.Begin) {
			t.Errorf("%s: signalled %d ticks before the end of a wait of %d", got[len(got)-1], ago, e.End-e.Begin)
		}
		if name := p.text(t, e.more.X0); e.more.X1 == 0 || name == "" {
			t.Errorf("%s: at %#x, named %q", got[len(got)-1], e.more.X1, name)
		}
	}
	if got, want := strings.Join(got, "\n")+"\n", r.stdout; got != want {
		t.Errorf("recorded\n%sthe program says\n%s", got, want)
	}
	if addressOfRequests == 0 {
		t.Error("what the waiting thread itself had signalled is not known")
	}
}

// A program behaves the same when it does not use Metal, and nothing is recorded.
func TestSignalsWithoutMetal(t *testing.T) {
	cmd := signals(t)
	cmd.Args = append(cmd.Args, "none")
	if r := trace(t, cmd); !r.state.Success() || len(r.events(t)) > 0 {
		t.Errorf("ended with %v, %d records\n%s", r.state, len(r.events(t)), r.stderr)
	}
}

// Threads of Python hand each other work and results through queues: what they wait for is a signal, and by whom it was given is known.
func TestPythonQueue(t *testing.T) {
	install, _ := softMetal(t)
	const program = `
import ctypes, queue, threading, time
metal = ctypes.CDLL("/System/Library/Frameworks/Metal.framework/Metal")
metal.MTLCreateSystemDefaultDevice.restype = ctypes.c_void_p
metal.MTLCreateSystemDefaultDevice()
requests, replies = queue.Queue(), queue.Queue()
def serve():
    print(threading.get_native_id(), flush=True)
    for _ in range(10):
        requests.get()
        time.sleep(0.005)
        replies.put(1)
server = threading.Thread(target=serve)
server.start()
time.sleep(0.05)
print(threading.get_native_id(), flush=True)
for _ in range(10):
    requests.put(1)
    replies.get()
server.join()
`
	r := trace(t, exec.Command(install.Launcher(), "/usr/bin/python3", "-c", program))
	if !r.state.Success() || r.stderr != "" {
		t.Fatalf("ended with %v\n%s", r.state, r.stderr)
	}
	var server, client uint64
	fmt.Sscan(r.stdout, &server, &client)
	waits := map[[2]uint64]int{}
	for _, e := range r.traced(t).events(t) {
		if e.Call.Row().Family == wire.FamilySignal && e.Object == 0 {
			waits[[2]uint64{e.thread, e.Arg}]++
		}
	}
	// One that comes just before it is waited for is not waited for.
	if waits[[2]uint64{client, server}] < 5 || waits[[2]uint64{server, client}] < 5 {
		t.Errorf("the client %d waited for the server %d: %v", client, server, waits)
	}
}

// BenchmarkSignal measures what signalling a condition variable that nobody waits for, and taking and giving back a semaphore that is
// free, cost more in a process that uses Metal.
func BenchmarkSignal(b *testing.B) {
	for _, what := range []string{"signal", "semaphore"} {
		b.Run(what, func(b *testing.B) { compareRuns(b, "bench-"+what, "1000000") })
	}
}

// The table of who signalled what forgets, but names no thread for another's object, whatever threads do to it at once.
func TestHandoffs(t *testing.T) {
	for _, sanitizer := range []string{"address,undefined", "thread"} {
		program := build(t, "handoff-"+sanitizer[:6], "gcc", "-O1", "-g", "-std=gnu11", "-D_GNU_SOURCE", "-fsanitize="+sanitizer, "-fno-sanitize-recover=all", "-Wall", "-Wextra", "-Werror",
			"-o", "OUT", "handoff.c", "testdata/handoff.c", "-lpthread")
		out, err := exec.Command(program).CombinedOutput()
		known, _ := strconv.Atoi(strings.TrimSpace(string(out)))
		if err != nil || known == 0 {
			t.Errorf("%s: %v: %s", sanitizer, err, out)
		}
	}
}
