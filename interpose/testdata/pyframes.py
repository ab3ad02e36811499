"""What testdata/pyframes.c sees of this program's frames, next to what Python itself says: one JSON line for each situation.

Usage: pyframes.py LIBRARY. Lines that end in a comment "at NAME" are those that the test looks up by that name.
"""
import asyncio, ctypes, json, os, sys, tempfile, threading

MOST = 24
SIZE = 1 << 16
lib, holding = ctypes.CDLL(sys.argv[1]), ctypes.PyDLL(sys.argv[1])
for handle in (lib, holding):
    handle.capture.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
lib.unknown.restype = ctypes.c_char_p
BACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
here, printing = threading.local(), threading.Lock()


def see(by=lib):
    """The library's function, to be called where its frame is to be the caller's: see()(buffer(), SIZE, MOST)."""
    if not hasattr(here, "buffer"):
        here.buffer = ctypes.create_string_buffer(SIZE)
    return by.capture


def buffer():
    return here.buffer


def name_of(code):
    return getattr(code, "co_qualname", code.co_name)


def clean(text):
    return "".join(c if not 0xD800 <= ord(c) < 0xE000 else "\N{REPLACEMENT CHARACTER}" for c in text)


def say(situation, count, got=(), want=()):
    with printing:
        print(json.dumps({"situation": situation, "count": count, "got": got, "want": want}), flush=True)


def tell(situation, count, frame):
    want = []
    while frame and len(want) < MOST:
        want.append([clean(name_of(frame.f_code)), clean(frame.f_code.co_filename), frame.f_lineno or 0])
        frame = frame.f_back
    rows = here.buffer.value.decode().split("\n")[:-1]
    got = [[f, file, int(line)] for f, file, line in (row.split("\t") for row in rows)]
    say(situation, count, got, want)


def plain():
    tell("plain", see()(buffer(), SIZE, MOST), sys._getframe())  # at plain


def holds_the_lock():
    tell("holding the lock", see(holding)(buffer(), SIZE, MOST), sys._getframe())


class Shape:
    def area(self):
        def inner():
            tell("nested", see()(buffer(), SIZE, MOST), sys._getframe())  # at inner

        inner()  # at area

    @staticmethod
    def fixed():
        (lambda: tell("lambda", see()(buffer(), SIZE, MOST), sys._getframe()))()  # at lambda


def recursive(n):
    if n:
        return recursive(n - 1)
    tell("recursion", see()(buffer(), SIZE, MOST), sys._getframe())


def comprehensions():
    [tell("list comprehension", see()(buffer(), SIZE, MOST), sys._getframe()) for _ in range(1)]
    {0: tell("dict comprehension", see()(buffer(), SIZE, MOST), sys._getframe()) for _ in range(1)}
    list(tell("generator expression", see()(buffer(), SIZE, MOST), sys._getframe()) for _ in range(1))


def generator():
    yield 1
    tell("generator", see()(buffer(), SIZE, MOST), sys._getframe())
    yield from delegate()


def delegate():
    yield tell("yield from", see()(buffer(), SIZE, MOST), sys._getframe())


async def coroutine():
    await asyncio.sleep(0)
    tell("coroutine", see()(buffer(), SIZE, MOST), sys._getframe())


async def asynchronous():
    await coroutine()


def jumps():
    for i in range(3):
        try:
            if i < 2:
                raise ValueError
        except ValueError:
            if i == 1: tell("except", see()(buffer(), SIZE, MOST), sys._getframe())
            continue
        finally:
            if i == 2:
                tell("finally", see()(buffer(), SIZE, MOST), sys._getframe())
    with tempfile.TemporaryFile():
        tell("with", see()(buffer(),
                           SIZE,
                           MOST), sys._getframe())


def called_back(n):
    tell("called back", see()(buffer(), SIZE, MOST), sys._getframe())
    return n + 1


def through_c():
    back = BACK(called_back)
    assert lib.call(back, 1) == 2
    tell("after the call back", see()(buffer(), SIZE, MOST), sys._getframe())
    sorted([2, 1], key=lambda n: n if n == 1 else tell("key", see()(buffer(), SIZE, MOST), sys._getframe()) or 2)


def c_thread():
    def back(n):
        see()
        tell("a thread of C", see()(buffer(), SIZE, MOST), sys._getframe())
        return 7

    kept = BACK(back)
    result = lib.call_on_thread(kept, 1)
    assert result == 7, result


def grüße():
    tell("latin-1", see()(buffer(), SIZE, MOST), sys._getframe())


def 計算():
    grüße()
    tell("two bytes a character", see()(buffer(), SIZE, MOST), sys._getframe())


def 𐌰():
    計算()
    tell("four bytes a character", see()(buffer(), SIZE, MOST), sys._getframe())


def other_files():
    source = "def f():\n\n  tell(%r, see()(buffer(), SIZE, MOST), sys._getframe())\nf()"
    for file in ("<string>", "\u00e9t\u00e9/\u591c.py", "\U00010330.py", os.fsdecode(b"/caf\xe9.py"), "long/" + "x" * 3000 + ".py"):
        exec(compile(source % ("file " + ascii(file)[:20]), file, "exec"), dict(globals()))


def far_lines():
    """Steps in lines and in code that do not fit the tables' single bytes."""
    filler = "  x = [" + "1, " * 400 + "]\n"
    source = "def f():\n" + "\n" * 1000 + filler * 3 + "  if x:\n" + "\n" * 300 + "    g()\n" + "    h(  \n" + "\n" * 200 + "      1); g()\n"
    space = {"g": lambda: tell("far lines", see()(buffer(), SIZE, MOST), sys._getframe()), "h": lambda n: space["g"]()}
    exec(compile("\n" * 5000 + source, "far.py", "exec"), space)
    space["f"]()


def reused():
    """Code objects that are made and dropped in the same place, with names and lines of their own."""
    for n in range(300):
        space = {"see": see, "buffer": buffer, "SIZE": SIZE, "MOST": 1, "sys": sys}
        exec("%sdef f%03d(): return see()(buffer(), SIZE, MOST), sys._getframe().f_lineno\nr = f%03d()" % ("\n" * (n % 7), n, n), space)
        count, line = space["r"]
        want = "f%03d\t<string>\t%d\n" % (n, line)
        if count != 1 or buffer().value.decode() != want:
            return say("reused code", count, [buffer().value.decode()], [want])
        if n % 20 == 0:
            lib.forget()


def many_threads():
    def work(n):
        barrier.wait()
        tell("thread", see()(buffer(), SIZE, MOST), sys._getframe())

    barrier = threading.Barrier(8)
    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def locks():
    say("lock", holding.held() * 10 + lib.held())


if __name__ == "__main__":
    see()
    if lib.unknown():
        sys.exit(lib.unknown().decode())
    tell("module", see()(buffer(), SIZE, MOST), sys._getframe())
    plain()
    holds_the_lock()
    Shape().area()
    Shape.fixed()
    for depth in (1, 22, 23, 24, 200):
        recursive(depth)
    comprehensions()
    list(generator())
    asyncio.run(asynchronous())
    jumps()
    through_c()
    c_thread()
    𐌰()
    other_files()
    far_lines()
    reused()
    many_threads()
    locks()
