"""A Python program that calls Metal through ctypes and the Objective-C runtime, as users' programs do.

It prints what it called, and nothing that differs between two runs."""
import ctypes
import json
import os
import sys

BUFFERS = 25
ID, UINT = ctypes.c_void_p, ctypes.c_ulong


class Range(ctypes.Structure):
    _fields_ = [("location", UINT), ("length", UINT)]


def libraries():
    if sys.platform == "darwin":
        return ctypes.CDLL("/System/Library/Frameworks/Metal.framework/Metal"), ctypes.CDLL("/usr/lib/libobjc.A.dylib")
    soft = ctypes.CDLL(os.environ.get("SOFTMETAL_LIBRARY", "libMetal.so"))
    return soft, soft


metal, objc = libraries()
objc.sel_registerName.restype, objc.sel_registerName.argtypes = ID, [ctypes.c_char_p]
metal.MTLCreateSystemDefaultDevice.restype = ID
send_address = ctypes.cast(objc.objc_msgSend, ID).value
counts = {}


def send(receiver, selector, result=None, *typed):
    """typed: pairs of type and value."""
    counts[selector] = counts.get(selector, 0) + 1
    function = ctypes.CFUNCTYPE(result, ID, ID, *typed[::2])(send_address)
    return function(receiver, objc.sel_registerName(selector.encode()), *typed[1::2])


device = metal.MTLCreateSystemDefaultDevice()
if not device:
    sys.exit("Metal is here and gives no device")
queue = send(device, "newCommandQueue", ID)
buffer = send(device, "newBufferWithLength:options:", ID, UINT, 256, UINT, 0)
right = True
for value in range(1, BUFFERS + 1):
    commands = send(queue, "commandBuffer", ID)
    encoder = send(commands, "blitCommandEncoder", ID)
    send(encoder, "fillBuffer:range:value:", None, ID, buffer, Range, Range(0, 256), ctypes.c_uint8, value)
    send(encoder, "endEncoding")
    send(commands, "commit")
    send(commands, "waitUntilCompleted")
    contents = send(buffer, "contents", ID)
    right = right and ctypes.string_at(contents, 256) == bytes([value]) * 256
del counts["contents"]  # of no command buffer: it is not recorded
calls = [{"selector": selector, "count": count} for selector, count in counts.items()]
print(json.dumps({"command_buffers": BUFFERS, "result_right": right, "calls": calls}))
