// The replacements of Metal's C functions; one source file per system installs them.
#ifndef MTRACE_INTERPOSE_H
#define MTRACE_INTERPOSE_H
#include "hook/objc.h"

// These functions call Metal's function and record the call. original is Metal's own function.
id mt_create_default_device(id (*original)(void));
id mt_copy_all_devices(id (*original)(void));
id mt_copy_observed_devices(id (*original)(id *, void *), id *observer, void *handler);
#endif
