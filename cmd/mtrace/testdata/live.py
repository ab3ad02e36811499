# A program with Metal at work on another thread, in one command buffer that the GPU does not end (SOFTMETAL_DURATION_US says so). It does what it
# is told by files in a folder. Its arguments are the path of workload.py and the folder.
import os
import runpy
import signal
import sys
import threading
import time


def say(words):
    os.write(1, (words + "\n").encode())


def metal():
    sys.argv = ["workload.py", "--op", "axpy", "--size", "256", "--threads", "1", "--iters", "9", "--warmup", "0", "--sync-mode", "device", "--no-check"]
    try:
        runpy.run_path(workload, run_name="__main__")
    except SystemExit:
        pass


def interrupted(*_):
    say("program: interrupted")


workload, folder = sys.argv[1:]
sys.stdout = open(os.devnull, "w")
signal.signal(signal.SIGINT, interrupted)
handle, signal.signal = signal.signal, lambda *_: None  # workload.py would, and only the main thread may
size = os.get_terminal_size(1) if os.isatty(1) else None
say("program: \x1b[1mfirst\x1b[0m line %s" % (size and "%dx%d" % (size.columns, size.lines)))
threading.Thread(target=metal, daemon=True).start()
asked = set()
while True:
    for order in sorted(set(os.listdir(folder)) - asked):
        asked.add(order)
        if order == "end":
            say("program: last line")
            os._exit(5)
        say("program: told " + order)
    time.sleep(0.02)
