// The replacements of Metal's C functions. interpose_darwin.c and interpose_linux.c make the program call them.
#ifndef MTRACE_INTERPOSE_H
#define MTRACE_INTERPOSE_H
#include "hook/objc.h"

// Each function calls original, which is Metal's own function, and records the call and the returned devices.
id mt_create_default_device(id (*original)(void));
id mt_copy_all_devices(id (*original)(void));
id mt_copy_observed_devices(id (*original)(id *, void *), id *observer, void *handler);
#endif
