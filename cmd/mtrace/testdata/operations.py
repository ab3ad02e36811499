"""Work that is called something in all the ways that frameworks have, each command buffer with one kernel: operations.py STEPS."""
import ctypes
import sys

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


def labelled_after_its_kernel(buffer, encoder):
    metal.send(encoder, "dispatchThreads:threadsPerThreadgroup:", Size(1024, 1, 1), Size(64, 1, 1), types=[Size, Size], result=None)
    label(buffer, "kernel_rope")


mul_mat, add, rope = (pipeline(name) for name in ("kernel_mul_mat", "kernel_add", "kernel_rope"))
for step in range(int(sys.argv[1])):
    buffer_of(mul_mat, in_group)
    buffer_of(add, growing)
    buffer_of(rope, in_scope)
    buffer_of(rope, labelled_after_its_kernel)
print("done")
