# Opens Metal long after the process has started, as Python does. The driver's classes come with the first device.
import ctypes

metal = ctypes.CDLL("/System/Library/Frameworks/Metal.framework/Metal")
objc = ctypes.CDLL("/usr/lib/libobjc.A.dylib")
for f in (objc.objc_lookUpClass, objc.sel_registerName, objc.objc_msgSend, metal.MTLCreateSystemDefaultDevice):
    f.restype = ctypes.c_void_p
objc.objc_lookUpClass.argtypes = objc.sel_registerName.argtypes = [ctypes.c_char_p]
objc.objc_msgSend.argtypes = [ctypes.c_void_p, ctypes.c_void_p]


def loaded():
    return bool(objc.objc_lookUpClass(b"SMG1FamilyCommandBuffer"))


def send(receiver, selector):
    return objc.objc_msgSend(receiver, objc.sel_registerName(selector))


before = loaded()
device = metal.MTLCreateSystemDefaultDevice()
print(before, loaded())
queue = send(device, b"newCommandQueue")
for _ in range(5):
    buffer = send(queue, b"commandBuffer")
    send(buffer, b"commit")
    send(buffer, b"waitUntilCompleted")
