// How the library comes between the program and Metal's C functions; one source file per system.
#ifndef MTRACE_INTERPOSE_H
#define MTRACE_INTERPOSE_H
#include "hook/objc.h"

// Metal's functions, recorded. Original is Metal's own.
id mt_create_default_device(id (*original)(void));
id mt_copy_all_devices(id (*original)(void));
id mt_copy_observed_devices(id (*original)(id *, void *), id *observer, void *handler);
#endif
