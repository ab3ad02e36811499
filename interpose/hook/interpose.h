// How Metal's C functions are replaced by the library's; one source file per system.
#ifndef MTRACE_INTERPOSE_H
#define MTRACE_INTERPOSE_H
#include "hook/objc.h"

// Metal's functions, recorded. original is Metal's own function.
id mt_create_default_device(id (*original)(void));
id mt_copy_all_devices(id (*original)(void));
id mt_copy_observed_devices(id (*original)(id *, void *), id *observer, void *handler);
#endif
