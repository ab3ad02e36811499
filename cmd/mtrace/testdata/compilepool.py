"""A program whose kernels are compiled in child processes, in each way that programs wait for them: compilepool.py waitpid, pipe or pool."""
import ctypes
import os
import struct
import subprocess
import sys

SERVICE = "/System/Library/PrivateFrameworks/MTLCompiler.framework/MTLCompiler"
REPLY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p)


def build(number):
    """The bytes that the service makes of a kernel; the block that takes them is none but for its function, as tinygrad's."""
    service = ctypes.CDLL(SERVICE)
    service.MTLCodeGenServiceCreate.restype = ctypes.c_void_p
    made = []
    reply = REPLY(lambda block, error, data, size, words: made.append(0 if error else size))
    source = b"#include <metal_stdlib>\nkernel void k%d(device float *x, uint i [[thread_position_in_grid]]) { x[i] = %d; }\0" % (number, number)
    parameters = b"-std=metal3.1\0"
    request = struct.pack("<QQ", len(source), len(parameters)) + source + parameters
    service.MTLCodeGenServiceBuildRequest(ctypes.c_void_p(service.MTLCodeGenServiceCreate(b"test")), None, 13, request, ctypes.c_size_t(len(request)), ctypes.byref(reply, -0x10))
    return made[0]


def child(*numbers):
    return subprocess.Popen([sys.executable, __file__, "build", *map(str, numbers)], stdout=subprocess.PIPE)


def main(how):
    from metal import Metal
    metal = Metal()
    device = metal.device()
    queue, pipeline = metal.send(device, "newCommandQueue"), metal.pipeline(device)
    if how == "waitpid":
        process = child(1, 2)
        status = process.wait()
        sizes = process.stdout.read().split()
    elif how == "pipe":
        process = child(1, 2)
        sizes = process.stdout.read().split()
        status = process.wait()
    else:
        import multiprocessing
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            sizes, status = pool.map(build, range(4), chunksize=1), 0
    for _ in range(3):
        buffer = metal.encoded(queue, pipeline, 1_000_000)
        metal.send(buffer, "commit", result=None)
        metal.send(buffer, "waitUntilCompleted", result=None)
    print(how, status, len(sizes), all(int(size) > 0 for size in sizes))


if __name__ == "__main__":
    if sys.argv[1] == "build":
        for number in sys.argv[2:]:
            print(build(int(number)), flush=True)
    else:
        main(sys.argv[1])
