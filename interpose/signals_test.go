package main

import (
	"fmt"
	"os"
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
	return exec.Command(build(t, "signals", "g++", "-O2", "-g", "-std=c++17", "-rdynamic", "-Wall", "-Wextra", "-Werror",
		"-o", "OUT", "testdata/signals.cc", shapes, "-lpthread"))
}

// Every wait for a signal is recorded with the thread that signalled, and not as a wait for a lock. An exception is a
// semaphore that the thread which took it also releases: that is a lock. Taking a free semaphore is not a wait. Threads
// that are cancelled in a wait, or in a call that need not wait, end as without the tracer.
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
		isLock := e.Call.Row().Family == wire.FamilyLock && strings.HasPrefix(e.Call.String(), "sem_")
		if e.Call.Row().Effect != wire.EffectListens && !isLock || e.thread != main {
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
		object := e.Object
		if isLock {
			object = wire.SignalGivenBack
		}
		got = append(got, fmt.Sprintf("%d %s %d %d %d %d", e.thread, e.Call, e.Arg, failed, object, gave))
		if ago := wire.Ticks(e.more.X3); !isLock && e.Arg != 0 && (ago == 0 || ago >= e.End-e.Begin) {
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

// Threads of Python pass each other work and results through queues: they wait for a signal, and the signalling thread
// is known.
func TestPythonQueue(t *testing.T) {
	install, _ := softMetal(t)
	const program = `
import ctypes, queue, threading, time
metal = ctypes.CDLL("/System/Library/Frameworks/Metal.framework/Metal")
metal.MTLCreateSystemDefaultDevice.restype = ctypes.c_void_p
metal.MTLCreateSystemDefaultDevice()
requests, replies = queue.Queue(), queue.Queue()
def until_it_waits(thread):
    time.sleep(0.001)
    # While this thread is in read it has released the GIL, so a thread that sleeps waits for something else.
    while open("/proc/self/task/%d/stat" % thread).read().rsplit(")", 1)[1].split()[0] != "S":
        time.sleep(0.001)
client = threading.get_native_id()
def serve():
    for _ in range(10):
        requests.get()
        until_it_waits(client)
        replies.put(1)
server = threading.Thread(target=serve)
server.start()
print(server.native_id, client, flush=True)
for _ in range(10):
    until_it_waits(server.native_id)
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
		if e.Call.Row().Family == wire.FamilySignal && e.Object&wire.SignalGivenBack == 0 {
			waits[[2]uint64{e.thread, e.Arg}]++
		}
	}
	// A signal just before the wait leaves no wait: each side signals when the other waits.
	if waits[[2]uint64{client, server}] < 5 || waits[[2]uint64{server, client}] < 5 {
		t.Errorf("the client %d waited for the server %d: %v", client, server, waits)
	}
}

// One thread of Python that is never idle serves four others through an executor. None of them wakes it, so only the
// locks that both use show that they submit to it. A pool that gets that thread's results waits in the same way, and
// submits nothing; once it was mistaken for the clients of a saturated submitter.
func TestPythonHandsOver(t *testing.T) {
	install, _ := softMetal(t)
	const program = `
import ctypes, queue, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
sys.path.insert(0, "../fixtures/scenarios/programs")
from metal import Metal
metal = Metal()
device = metal.device()
pipeline = metal.pipeline(device)
commands = metal.send(device, "newCommandQueue")
def run():
    pool = metal.push()
    buffer = metal.encoded(commands, pipeline, 1e6)
    metal.send(buffer, "commit", result=None)
    metal.send(buffer, "waitUntilCompleted", result=None)
    metal.pop(pool)
def ask():
    for _ in range(30):
        executor.submit(run).result()
def take():
    while results.get() is not None:
        time.sleep(1e-4)
def feed():
    for _ in range(120):
        run()
        results.put(1)
    for _ in range(4):
        results.put(None)
executor, results = ThreadPoolExecutor(1), queue.Queue()
threads = [threading.Thread(target=f) for f in ([ask] * 4 if sys.argv[1] == "clients" else [take] * 4 + [feed])]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
`
	for _, c := range []struct {
		who        string
		least, top float64
	}{{"clients", 0.5, 1}, {"pool", 0, 0.2}} {
		t.Run(c.who, func(t *testing.T) {
			cmd := exec.Command(install.Launcher(), "/usr/bin/python3", "-c", program, c.who)
			cmd.Env = append(os.Environ(), "SOFTMETAL_TIMED=1")
			r := trace(t, cmd)
			if !r.state.Success() || r.stderr != "" {
				t.Fatalf("ended with %v\n%s", r.state, r.stderr)
			}
			events := r.traced(t).events(t)
			var submitter uint64
			for _, e := range events {
				if e.Call.Row().Selector == "commit" {
					submitter = e.thread
				}
			}
			waits, waited, fetched := 0, uint64(0), uint64(0)
			for _, e := range events {
				if e.Call.Row().Family == wire.FamilySignal && e.Arg == submitter && e.Object&wire.SignalGivenBack == 0 {
					waits++
					waited += uint64(e.End - e.Begin)
					if e.Object&wire.SignalFetched != 0 {
						fetched += uint64(e.End - e.Begin)
					}
				}
			}
			if share := float64(fetched) / float64(max(1, waited)); waits < 40 || share < c.least || share > c.top {
				t.Errorf("%.0f%% of the time of %d waits for the submitter ended with what it had fetched", 100*share, waits)
			}
		})
	}
}

// BenchmarkSignal measures the added cost of signalling a condition variable without waiters, and of taking and
// releasing a free semaphore, in a process that uses Metal.
func BenchmarkSignal(b *testing.B) {
	for _, what := range []string{"signal", "semaphore"} {
		b.Run(what, func(b *testing.B) { compareRuns(b, "bench-"+what, "1000000") })
	}
}

// The table of signalling threads may forget, but names no thread for another's object, whatever threads do to it at
// once.
func TestHandoffs(t *testing.T) {
	for _, sanitizer := range []string{"address,undefined", "thread"} {
		program := build(t, "handoff-"+sanitizer[:6], "gcc", "-O1", "-g", "-std=gnu11", "-D_GNU_SOURCE",
			"-fsanitize="+sanitizer, "-fno-sanitize-recover=all", "-Wall", "-Wextra", "-Werror",
			"-o", "OUT", "waits/handoff.c", "testdata/handoff.c", "-lpthread")
		out, err := exec.Command(program).CombinedOutput()
		known, _ := strconv.Atoi(strings.TrimSpace(string(out)))
		if err != nil || known == 0 {
			t.Errorf("%s: %v: %s", sanitizer, err, out)
		}
	}
}

// The story: the addresses that an answer touches were stored as bits of a word. In every twentieth run the mutex of
// the requests shared a bit with them, and then no work that Python's threads passed on was seen. Answers to several
// command buffers together, as in an executor with three, were never matched with their requests.
func TestWhatWasFetched(t *testing.T) {
	program := build(t, "fetched", "gcc", "-O1", "-g", "-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-o",
		"OUT", "waits/handoff.c", "testdata/fetched.c", "-lpthread")
	out, err := exec.Command(program).CombinedOutput()
	var one, three, none int
	if n, _ := fmt.Sscan(string(out), &one, &three, &none); n != 3 || err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if one < 985 || three < 985 || none > 5 {
		t.Errorf("fetched is known of %d ‰ of the answers to one command buffer, of %d ‰ of those to three, and of %d ‰ "+
			"of those that nobody asked for", one, three, none)
	}
}
