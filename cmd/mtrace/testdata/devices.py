"""Several GPUs, each with threads of its own: devices.py MILLISECONDS THREADS:MICROSECONDS … keeps them at work for that long, each device
with so many threads, which wait for command buffers of so many microseconds. Prints, as JSON, the threads' ids, by device, and what the
devices got done."""
import ctypes
import json
import sys
import threading
import time

from metal import Metal

metal = Metal()
copy = metal.releasing.MTLCopyAllDevices
copy.restype = ctypes.c_void_p
everything = copy()
count = metal.send(everything, "count", result=ctypes.c_ulong)
devices = [metal.send(everything, "objectAtIndex:", i, types=[ctypes.c_ulong]) for i in range(count)]
plan = [(int(a), float(b)) for a, b in (word.split(":") for word in sys.argv[2:])]
pipelines = [metal.pipeline(device) for device in devices]
done, gpu, tids, lock = [0] * count, [0] * count, [[] for _ in range(count)], threading.Lock()
end = time.monotonic() + float(sys.argv[1]) / 1e3


def work(i):
    tids[i].append(threading.get_native_id())
    queue = metal.send(devices[i], "newCommandQueue")
    label = metal.send(metal.get_class(b"NSString"), "stringWithUTF8String:", b"queue of device %d" % i, types=[ctypes.c_char_p])
    metal.send(queue, "setLabel:", label, types=[ctypes.c_void_p], result=None)
    while time.monotonic() < end:
        pool = metal.push()
        buffer = metal.encoded(queue, pipelines[i], plan[i][1] * 1e3)
        metal.send(buffer, "commit", result=None)
        metal.send(buffer, "waitUntilCompleted", result=None)
        took = metal.gpu_nanoseconds(buffer)
        with lock:
            gpu[i] += took
            done[i] += 1
        metal.pop(pool)


threads = [threading.Thread(target=work, args=[i]) for i in range(count) for _ in range(plan[i][0])]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps({"tids": tids, "command_buffers": done, "gpu_ns": gpu}))
