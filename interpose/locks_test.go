package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"mtrace/collector/wire"
)

// Only waits are recorded, with the lock's name and the thread that held it; a lock that is free, a recursive lock
// taken twice, and all locks before the first Metal call are not.
func TestLocks(t *testing.T) {
	r := trace(t, client(t, "locks"))
	if !r.state.Success() || strings.Count(r.stdout, "\n") != 1 {
		t.Fatalf("ended with %v\n%s%s", r.state, r.stdout, r.stderr)
	}
	var holder uint64
	fmt.Sscan(r.stdout, &holder)
	want := []string{"pthread_mutex_lock big_lock", "pthread_mutex_lock in wait_for_the_lock",
		"pthread_rwlock_rdlock table_lock"}
	p := r.traced(t)
	for _, e := range p.events(t) {
		// The barriers of the client's own are the C library's business.
		if e.Call.Row().Family != wire.FamilyLock {
			continue
		}
		got := e.Call.String() + " " + p.text(t, e.more.X0)
		if len(want) == 0 || got != want[0] {
			t.Fatalf("a wait for %s, not for %q", got, want)
		}
		want = want[1:]
		if e.Arg != holder || e.thread == holder || e.Object < wire.FirstLock {
			t.Errorf("%s: thread %d waited for lock %d, which %d held, not %d", got, e.thread, e.Object, e.Arg, holder)
		}
	}
	if len(want) > 0 {
		t.Errorf("no wait for %q", want)
	}
}

// Threads of Python made half as many command buffers, because every wait for the GIL was recorded, and named, while
// the thread held the GIL's mutex: all other threads waited for the recording, too. So a process that is killed while
// it holds a lock that it waited for leaves no record of the wait, and a process that has released the lock leaves all
// records.
func TestNothingIsRecordedWithTheLockHeld(t *testing.T) {
	for i, want := range []string{"", "pthread_mutex_lock", "pthread_mutex_lock", "pthread_mutex_lock pthread_cond_wait"} {
		r := trace(t, client(t, "killed-holding", strconv.Itoa(i+1)))
		if status, ok := r.state.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
			t.Fatalf("ended with %v\n%s%s", r.state, r.stdout, r.stderr)
		}
		p := r.traced(t)
		var got []string
		for _, e := range p.events(t) {
			if family := e.Call.Row().Family; (family == wire.FamilyLock || family == wire.FamilySignal) &&
				e.Call.String() != "pthread_barrier_wait" && p.text(t, e.more.X0) == "in takes" {
				got = append(got, e.Call.String())
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("killed after step %d: waits %q, not %q", i+1, got, want)
		}
	}
}

// Four threads of Python made a tenth fewer command buffers: a wait for the GIL was recorded when the mutex that guards
// it was unlocked. By then the thread holds the GIL, and all other threads wait. So a thread that is killed before it
// releases the GIL leaves no record of its wait, and a thread that has released it leaves all records. The other thread
// holds the GIL, in C, until this one sleeps on it.
func TestInterpreterIsNotHeldToRecord(t *testing.T) {
	install, _ := softMetal(t)
	const program = `
import ctypes, os, signal, sys, threading, time
sys.setswitchinterval(1000)
metal = ctypes.CDLL("/System/Library/Frameworks/Metal.framework/Metal")
metal.MTLCreateSystemDefaultDevice.restype = ctypes.c_void_p
metal.MTLCreateSystemDefaultDevice()
holding = ctypes.PyDLL(None)  # its functions are called with the interpreter held
text = ctypes.create_string_buffer(64)
def inside(thread):
    file = holding.open(b"/proc/self/task/%d/syscall" % thread, os.O_RDONLY)
    length = holding.read(file, text, 63)
    holding.close(file)
    return text.raw[:max(length, 0)].split(b" ")[0]
read, futex = {"x86_64": (b"0", b"202"), "aarch64": (b"63", b"98")}[os.uname().machine]
out, into = os.pipe()
def waits():
    os.read(out, 1)
    if sys.argv[1] == "given-back": time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGKILL)
waiting = threading.Thread(target=waits)
waiting.start()
while inside(waiting.native_id) != read: time.sleep(0.001)
print(waiting.native_id, time.monotonic_ns(), flush=True)
holding.write(into, b"x", 1)
while inside(waiting.native_id) != futex: holding.usleep(1000)
time.sleep(30)
`
	for _, until := range []string{"held", "given-back"} {
		cmd := exec.Command(install.Launcher(), "/usr/bin/python3", "-c", program, until)
		cmd.Env = append(os.Environ(), "MTRACE_CLOCK=nanoseconds")
		r := trace(t, cmd)
		if status, ok := r.state.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
			t.Fatalf("ended with %v\n%s%s", r.state, r.stdout, r.stderr)
		}
		var thread, began uint64
		if _, err := fmt.Sscan(r.stdout, &thread, &began); err != nil {
			t.Fatal(err)
		}
		p := r.traced(t)
		waits := 0
		for _, e := range p.events(t) {
			if e.thread == thread && e.Call.Row().Family == wire.FamilyLock && uint64(e.End) > began &&
				p.text(t, e.more.X0) == "_PyRuntime" {
				waits++
			}
		}
		t.Logf("%s: %d waits of the thread's are in the trace", until, waits)
		if until == "held" && waits != 0 || until == "given-back" && waits == 0 {
			t.Errorf("killed with the interpreter %s: %d waits", until, waits)
		}
	}
}

// Python threads that compute wait for each other; the lock they wait for is the GIL, by name. A thread that only waits
// for work, in a queue of Python's, waits for no lock.
func TestInterpreterLock(t *testing.T) {
	install, _ := softMetal(t)
	const program = `
import ctypes, queue, threading, time
metal = ctypes.CDLL("/System/Library/Frameworks/Metal.framework/Metal")
metal.MTLCreateSystemDefaultDevice.restype = ctypes.c_void_p
metal.MTLCreateSystemDefaultDevice()
idle = queue.Queue()
waiting = threading.Thread(target=idle.get)
waiting.start()
def compute():
    end = time.monotonic() + 0.2
    while time.monotonic() < end: sum(range(1000))
threads = [threading.Thread(target=compute) for _ in range(3)]
for t in threads: t.start()
for t in threads: t.join()
idle.put(1)
`
	cmd := exec.Command(install.Launcher(), "/usr/bin/python3", "-c", program)
	r := trace(t, cmd)
	if !r.state.Success() || r.stderr != "" {
		t.Fatalf("ended with %v\n%s", r.state, r.stderr)
	}
	p := r.traced(t)
	names, threads := map[string]int{}, map[uint64]bool{}
	for _, e := range p.events(t) {
		if e.Call.Row().Family == wire.FamilyLock {
			names[p.text(t, e.more.X0)]++
			threads[e.thread] = true
		}
	}
	if names["_PyRuntime"] < 10 || len(threads) < 3 {
		t.Errorf("waits by lock %v on %d threads", names, len(threads))
	}
}

// A program hung that loaded a library whose constructor waits for a thread. The constructor's thread holds the dynamic
// linker's lock. The other thread, which held the program's lock, entered a function of ours that asked the linker for
// the original, or for the name of the lock it waits for.
func TestConstructorThatWaits(t *testing.T) {
	lib := build(t, "libconstructor.so", "gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", "OUT",
		"testdata/constructor.c", "-lpthread")
	r := trace(t, client(t, "loads", lib))
	if !r.state.Success() || r.stdout != "loaded\n" {
		t.Errorf("ended with %v\n%s%s", r.state, r.stdout, r.stderr)
	}
}

// The tracer's name of an address, found without the dynamic linker's lock, equals the linker's.
func TestPlaces(t *testing.T) {
	program := build(t, "place", "gcc", "-O1", "-g", "-std=gnu11", "-D_GNU_SOURCE", "-rdynamic", "-fsanitize=undefined",
		"-fno-sanitize-recover=all", "-Wall", "-Wextra", "-Werror",
		"-o", "OUT", "system/place_linux.c", "testdata/place.c", "-Wl,--no-as-needed", "-lobjc", "-lstdc++", "-lm")
	out, err := exec.Command(program).CombinedOutput()
	var named int
	if _, scanned := fmt.Sscan(string(out), &named); err != nil || scanned != nil || named < 1000 {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%d addresses have a symbol", named)
}

// A table of names that threads write and read concurrently may forget, but never returns the name of another address.
func TestNamesOfManyThreads(t *testing.T) {
	program := build(t, "names", "gcc", "-O2", "-g", "-std=gnu11", "-fsanitize=thread", "-Wall", "-Wextra", "-Werror",
		"-o", "OUT", "core/names.c", "testdata/names.c", "-lpthread")
	out, err := exec.Command(program).CombinedOutput()
	var known int
	if _, scanned := fmt.Sscan(string(out), &known); err != nil || scanned != nil || known < 1000 {
		t.Errorf("%v\n%s", err, out)
	}
}

// A program built with the thread sanitizer uses the sanitizer's locks. If the library bypassed them for the C
// library's, the sanitizer would see locks that are never taken, and end a program without a fault.
func TestSanitizedProgram(t *testing.T) {
	shapes := build(t, "libshapes.so", shapesCommand...)
	program := build(t, "client-sanitized", "gcc", "-O1", "-g", "-std=gnu11", "-fsanitize=thread", "-fobjc-exceptions",
		"-o", "OUT", "testdata/client.m", shapes,
		"-lobjc", "-lpthread")
	cmd := client(t, "bench-lock", "1000")
	cmd.Path = program
	path, _ := listen(t)
	// The sanitizer's library must be loaded first in a process, and mtrace permits that.
	runtime, err := exec.Command("gcc", "-print-file-name=libtsan.so").Output()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), "LD_PRELOAD="+strings.TrimSpace(string(runtime))+":"+library(t), "MTRACE_SOCKET="+path,
		"TSAN_OPTIONS=halt_on_error=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
