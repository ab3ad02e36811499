"""Threads of Python that get in each other's way: handing.py lock|executor MILLISECONDS.

lock: each keeps a threading.Lock while it waits for the GPU, for half of its command buffers. executor: each gives an executor of one
thread three pieces of work at a time and waits for all of them.
"""
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait

from metal import Metal

metal = Metal()
device = metal.device()
pipeline = metal.pipeline(device)
lock, executor, shared = threading.Lock(), ThreadPoolExecutor(1), metal.send(device, "newCommandQueue")
end = time.monotonic() + float(sys.argv[2]) / 1e3


def run(queue, milliseconds):
    pool = metal.push()
    buffer = metal.encoded(queue, pipeline, milliseconds * 1e6)
    metal.send(buffer, "commit", result=None)
    metal.send(buffer, "waitUntilCompleted", result=None)
    metal.pop(pool)


def work():
    queue = metal.send(device, "newCommandQueue")
    while time.monotonic() < end:
        if sys.argv[1] == "executor":
            wait([executor.submit(run, shared, 1) for _ in range(3)])
            continue
        with lock:
            run(queue, 2)
        run(queue, 2)


threads = [threading.Thread(target=work, name="worker-%d" % i) for i in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
