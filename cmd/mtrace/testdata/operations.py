"""Work that is called something in all the ways that frameworks have, each command buffer with one kernel: operations.py STEPS."""
import ctypes
import struct
import sys
import threading

from metal import Metal, Size

SOURCE = b"""#include <metal_stdlib>
using namespace metal;
#define KERNEL(name, rounds) kernel void name(device float *x, uint i [[thread_position_in_grid]]) { float a = x[i]; for (int k = 0; k < rounds; k++) a = a * 0.5f + 1; x[i] = a; }
KERNEL(kernel_mul_mat, 3000)
KERNEL(kernel_add, 400)
KERNEL(kernel_rope, 1000)
"""
metal = Metal()
tracer = ctypes.CDLL(None)
begin, end = getattr(tracer, "mtrace_scope_begin", None), getattr(tracer, "mtrace_scope_end", None)


def text(of):
    return metal.send(metal.get_class(b"NSString"), "stringWithUTF8String:", of.encode(), types=[ctypes.c_char_p])


def label(of, name):
    metal.send(of, "setLabel:", text(name), types=[ctypes.c_void_p], result=None)


device = metal.device()
queue = metal.send(device, "newCommandQueue")
library = metal.send(device, "newLibraryWithSource:options:error:", text(SOURCE.decode()), None, None, types=[ctypes.c_void_p] * 3)
memory = metal.send(device, "newBufferWithLength:options:", 4096, 0, types=[ctypes.c_ulong] * 2)


def pipeline(name):
    function = metal.send(library, "newFunctionWithName:", text(name), types=[ctypes.c_void_p])
    return metal.send(device, "newComputePipelineStateWithFunction:error:", function, None, types=[ctypes.c_void_p] * 2)


def dispatch(encoder):
    metal.send(encoder, "dispatchThreads:threadsPerThreadgroup:", Size(1024, 1, 1), Size(64, 1, 1), types=[Size, Size], result=None)


def buffer_of(state, encode):
    pool = metal.push()
    buffer = metal.send(queue, "commandBuffer")
    encoder = metal.send(buffer, "computeCommandEncoder")
    metal.send(encoder, "setComputePipelineState:", state, types=[ctypes.c_void_p], result=None)
    metal.send(encoder, "setBuffer:offset:atIndex:", memory, 0, 0, types=[ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong], result=None)
    encode(buffer, encoder)
    metal.send(encoder, "endEncoding", result=None)
    metal.send(buffer, "commit", result=None)
    metal.send(buffer, "waitUntilCompleted", result=None)
    metal.pop(pool)


def in_group(buffer, encoder):
    metal.send(encoder, "pushDebugGroup:", text("MUL_MAT"), types=[ctypes.c_void_p], result=None)
    dispatch(encoder)
    metal.send(encoder, "popDebugGroup", result=None)


def growing(buffer, encoder):
    for name in "Add", "AddMultiply":
        label(buffer, name)
        dispatch(encoder)


def in_scope(buffer, encoder):
    if begin:
        begin(b"attention")
    dispatch(encoder)
    if end:
        end()


signpost = getattr(tracer, "_os_signpost_emit_with_name_impl", None)
log, numbers = ctypes.create_string_buffer(1), iter(range(1, 1000))


def say(kind, number, name, words=None):
    """What the macros of os/signpost.h come to: kind 0 is an event, 1 and 2 the begin and the end of an interval."""
    if not signpost:
        return
    kept = ctypes.c_char_p(words)
    arguments = bytes([2, 1, 0x22, 8]) + struct.pack("P", ctypes.cast(kept, ctypes.c_void_p).value) if words else bytes([0, 0])
    signpost(ctypes.byref(log), ctypes.byref(log), ctypes.c_uint8(kind), ctypes.c_uint64(number), name, b"%{public}s" if words else b"", arguments, len(arguments))


def in_signposts(buffer, encoder):
    """As PyTorch's profiler has it: an interval of each operator, which the thread ends that hears of the completion."""
    number = next(numbers)
    say(0, number, b"MPS", b"event")
    metal.send(encoder, "insertDebugSignpost:", text("here"), types=[ctypes.c_void_p], result=None)
    say(1, number, b"MPS", b"aten::mm")
    dispatch(encoder)
    other = threading.Thread(target=say, args=(2, number, b"MPS", b"aten::mm"))
    other.start()
    other.join()


def labelled_after_its_kernel(buffer, encoder):
    metal.send(encoder, "dispatchThreads:threadsPerThreadgroup:", Size(1024, 1, 1), Size(64, 1, 1), types=[Size, Size], result=None)
    label(buffer, "kernel_rope")


mul_mat, add, rope = (pipeline(name) for name in ("kernel_mul_mat", "kernel_add", "kernel_rope"))
for step in range(int(sys.argv[1])):
    buffer_of(mul_mat, in_group)
    buffer_of(add, growing)
    buffer_of(rope, in_scope)
    buffer_of(mul_mat, in_signposts)
    buffer_of(rope, labelled_after_its_kernel)
print("done")
