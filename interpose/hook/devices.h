// The facts that are reported about a device.
#ifndef MTRACE_DEVICES_H
#define MTRACE_DEVICES_H
#include "hook/objc.h"

struct thread;

// Hooks a device's class and what it wraps, and tells its name once. Its number. Keeps errno.
uint32_t mt_device_seen(struct thread *t, id device);
#endif
