// The facts that are reported about a device.
#ifndef MTRACE_DEVICES_H
#define MTRACE_DEVICES_H
#include "hook/objc.h"

struct thread;

// Hooks a device's class and the device that it wraps, and reports its name once. Returns its number. Keeps errno.
uint32_t mt_device_seen(struct thread *t, id device);
#endif
