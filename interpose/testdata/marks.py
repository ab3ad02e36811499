"""Marks and scopes in the situations that their test looks for; Metal comes in the middle."""
import ctypes, os, signal, sys, threading, time

tracer = ctypes.CDLL(None)
mark, begin, end = (getattr(tracer, "mtrace_" + name) for name in ("mark", "scope_begin", "scope_end"))
for function in (mark, begin):
    function.argtypes = [ctypes.c_char_p]


def use_metal():
    metal = ctypes.CDLL("/System/Library/Frameworks/Metal.framework/Metal")
    metal.MTLCreateSystemDefaultDevice.restype = ctypes.c_void_p
    assert metal.MTLCreateSystemDefaultDevice()


def on_thread(work):
    thread = threading.Thread(target=work)
    thread.start()
    number = thread.native_id
    thread.join()
    # join returns when Python is done with the thread; the system's has its exit handlers still to run.
    while os.path.exists("/proc/self/task/%d" % number):
        time.sleep(0.001)


def early():
    end()  # of nothing
    begin(b"whole")
    mark(b"before Metal")
    begin(b"early"), end()
    on_thread(lambda: (begin(b"lost"), mark(b"lost"), end()))  # this thread never has anything to do with Metal
    for i in range(300): begin(b"many"), end()
    begin(b"around Metal")
    use_metal()
    end(), mark(b"after Metal"), end(), end()
    begin(b"last"), end()


def late():
    use_metal()
    end(), end()  # of nothing
    for i in range(70): begin(b"deep %d" % i)
    for i in range(70): end()
    begin(b"after deep"), end(), end()
    begin(None), mark(None), end()
    begin(b""), end()
    mark(b"a" * 5000), mark(b"x" + "\u00e9".encode() * 3000), mark(b"\xff\xfe")
    for n in range(3): on_thread(lambda: (begin(b"thread %d" % n), begin(b"inner %d" % n), end(), end()))
    on_thread(lambda: (begin(b"left open"), begin(b"left open inside")))
    begin(b"killed in"), begin(b"killed deep in")
    os.kill(os.getpid(), signal.SIGKILL)


{"early": early, "late": late}[sys.argv[1]]()
