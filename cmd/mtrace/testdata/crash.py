"""Crashes inside a Metal method: always, or where something has replaced it. Usage: crash.py always|hooked"""
import ctypes
import sys

ID = ctypes.c_void_p
metal = ctypes.CDLL("libMetal.so")
metal.sel_registerName.restype = metal.MTLCreateSystemDefaultDevice.restype = ID
address = ctypes.cast(metal.objc_msgSend, ID).value


class Range(ctypes.Structure):
    _fields_ = [("location", ctypes.c_ulong), ("length", ctypes.c_ulong)]


class Place(ctypes.Structure):
    _fields_ = [("file", ctypes.c_char_p), ("base", ID), ("name", ctypes.c_char_p), ("symbol", ID)]


def selector(name):
    return metal.sel_registerName(name.encode())


def send(receiver, name, result=ID, *typed):
    return ctypes.CFUNCTYPE(result, ID, ID, *typed[::2])(address)(receiver, selector(name), *typed[1::2])


device = metal.MTLCreateSystemDefaultDevice()
encoder = send(send(send(device, "newCommandQueue"), "commandBuffer"), "blitCommandEncoder")
metal.class_getMethodImplementation.restype = ID
method = metal.class_getMethodImplementation(ID(ID.from_address(encoder).value), ID(selector("fillBuffer:range:value:")))
place = Place()
ctypes.CDLL(None).dladdr(ID(method), ctypes.byref(place))
hooked = b"libmtrace" in place.file
if hooked or sys.argv[1] == "always":
    send(encoder, "fillBuffer:range:value:", None, ID, ID(16), Range, Range(0, 16), ctypes.c_uint8, 1)
print("hooked" if hooked else "not hooked")
