"""A language model without the language: weights are loaded, then each of two requests is a prompt and TOKENS tokens of
the same graph. Prints a JSON object with the times of its tokens, and the GPU's idle time in each:
generate.py TOKENS [marks]. Without marks, a token lasts from one end on the GPU to the next, by Metal's own GPU times,
which are on the clock of time.monotonic(). With marks, a token lasts from mark to mark."""
import ctypes
import json
import sys
import time

from metal import Metal, Size

SOURCE = b"""#include <metal_stdlib>
using namespace metal;
#define KERNEL(name) kernel void name(device float *x, uint i [[thread_position_in_grid]]) { x[0] = 1; }
KERNEL(fill)
KERNEL(norm)
KERNEL(mul_mm)
KERNEL(mul_mv)
KERNEL(rope)
"""
MILLISECOND = 1_000_000
metal = Metal()
device = metal.device()
queue = metal.send(device, "newCommandQueue")
text = lambda of: metal.send(metal.get_class(b"NSString"), "stringWithUTF8String:", of, types=[ctypes.c_char_p])
library = metal.send(device, "newLibraryWithSource:options:error:", text(SOURCE), None, None, types=[ctypes.c_void_p] * 3)
memory = metal.send(device, "newBufferWithLength:options:", 4096, 0, types=[ctypes.c_ulong] * 2)
tracer = ctypes.CDLL(None)
marks = "marks" in sys.argv
set_mark = getattr(tracer, "mtrace_mark", lambda name: None) if marks else lambda name: None


def mark(name):
    set_mark(name)
    return time.monotonic()


def pipeline(name):
    function = metal.send(library, "newFunctionWithName:", text(name), types=[ctypes.c_void_p])
    return metal.send(device, "newComputePipelineStateWithFunction:error:", function, None, types=[ctypes.c_void_p] * 2)


states = {name: pipeline(name) for name in (b"fill", b"norm", b"mul_mm", b"mul_mv", b"rope")}


def committed(names, threads, milliseconds):
    buffer = metal.send(metal.send(queue, "commandBuffer"), "retain")
    metal.send(buffer, "setSoftmetalDuration:", int(milliseconds * MILLISECOND), types=[ctypes.c_uint64], result=None)
    encoder = metal.send(buffer, "computeCommandEncoder")
    metal.send(encoder, "setBuffer:offset:atIndex:", memory, 0, 0, types=[ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong], result=None)
    for name in names:
        metal.send(encoder, "setComputePipelineState:", states[name], types=[ctypes.c_void_p], result=None)
        metal.send(encoder, "dispatchThreads:threadsPerThreadgroup:", Size(threads, 1, 1), Size(64, 1, 1), types=[Size, Size], result=None)
    metal.send(encoder, "endEncoding", result=None)
    metal.send(buffer, "commit", result=None)
    return buffer


def run(product, threads, milliseconds):
    """Two command buffers, of which the second is waited for. Returns when the GPU began the first and ended the
    second, and how long it worked."""
    pool = metal.push()
    first = committed([b"norm", product, b"rope", product], threads, milliseconds * 0.6)
    last = committed([b"norm", product, product], threads, milliseconds * 0.4)
    metal.send(last, "waitUntilCompleted", result=None)
    times = [metal.send(b, "GPU%sTime" % which, result=ctypes.c_double)
             for b in (first, last) for which in ("Start", "End")]
    metal.pop(pool)
    return times[0], times[3], times[1] - times[0] + times[3] - times[2]


metal.send(committed([b"fill"] * 7, 4096, 20), "waitUntilCompleted", result=None)
prompts, tokens, gaps = [], [], []


def close(at):
    """The last token ends with a mark, at that time."""
    tokens[-1] += at - end
    gaps[-1] += at - end


for request in range(2):
    time.sleep(0.01)
    mark(b"prompt")
    begin, end, worked = run(b"mul_mm", 4096, 30)
    prompts.append(end - begin)
    for token in range(int(sys.argv[1])):
        at = mark(b"token %d" % token)
        if marks and token:
            close(at)
        before = at if marks else end
        time.sleep(0.0005)  # the sampler
        begin, end, worked = run(b"mul_mv", 64, 8 if token % 8 == 7 else 4)
        tokens.append(end - before)
        gaps.append(end - before - worked)
    at = mark(b"token")
    if marks:
        close(at)
print(json.dumps({"prompts": prompts, "tokens": tokens, "gaps": gaps}))
