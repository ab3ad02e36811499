// Notices devices when they appear and reports facts about them.
#ifndef MTRACE_DEVICES_H
#define MTRACE_DEVICES_H
#include "hook/objc.h"

struct thread;

// Hooks a device's class and the class of the device inside a wrapper, and reports the device's name and properties
// the first time. Returns the device's number. Keeps errno.
uint32_t mt_device_seen(struct thread *t, id device);
#endif
