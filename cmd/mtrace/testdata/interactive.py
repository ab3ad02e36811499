# A program that somebody talks to at a terminal, with Metal at work on another thread. It says in lines that begin with "program:" what
# it notices of the terminal. Its argument is the path of workload.py.
import errno
import os
import runpy
import select
import signal
import sys
import termios
import threading


def say(*words):
    os.write(1, ("program: " + " ".join(words) + "\n").encode())


def in_foreground():
    return os.tcgetpgrp(0) == os.getpgrp()


def place():
    return "in the foreground" if in_foreground() else "in the background"


def size(*_):
    terminal = os.get_terminal_size(0)
    say("%dx%d" % (terminal.lines, terminal.columns))


def set_terminal():
    """Is for the foreground: SIGTTOU stops who is not in it. One that goes on there with a signal to handle is told EINTR, now and then."""
    while True:
        try:
            return termios.tcsetattr(0, termios.TCSANOW, termios.tcgetattr(0))
        except termios.error as error:
            if error.args[0] != errno.EINTR:
                raise


def metal(iterations):
    sys.argv = ["workload.py", "--op", "axpy", "--size", "256", "--threads", "1", "--iters", str(iterations), "--sync-mode", "device"]
    try:
        runpy.run_path(workload, run_name="__main__")
    except SystemExit:
        pass


workload = sys.argv[1]
screen, sys.stdout = sys.stdout, open(os.devnull, "w")
metal(2)
handle = signal.signal
signal.signal = lambda *_: None  # workload.py would, and only the main thread may
threading.Thread(target=metal, args=(1000000,), daemon=True).start()

# A signal may come to any thread: the pipe is what wakes this one.
woken, wake = os.pipe()
os.set_blocking(wake, False)
signal.set_wakeup_fd(wake)
handle(signal.SIGWINCH, size)
handle(signal.SIGINT, lambda *_: say("interrupted"))
handle(signal.SIGCONT, lambda *_: say("goes on", place()))
say("ready", place())
size()
while True:
    readable, _, _ = select.select([0, woken], [], [])
    if woken in readable:
        os.read(woken, 100)
        if not in_foreground():
            set_terminal()
        continue
    line = os.read(0, 1000).decode().strip()
    if line == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif line == "ignore":
        handle(signal.SIGTSTP, signal.SIG_IGN)
        say("ignores ^Z")
    elif line == "default":
        handle(signal.SIGINT, signal.SIG_DFL)
        say("ends at ^C")
    elif line in ("", "quit"):
        say("quits")
        os._exit(3)
    else:
        say("read", line)
