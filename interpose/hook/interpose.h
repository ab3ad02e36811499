// How the library comes between the program and Metal's C functions; one source file per system.
#ifndef MTRACE_INTERPOSE_H
#define MTRACE_INTERPOSE_H
#include "hook/objc.h"

// The address of a symbol in the Metal library the program uses or what that brought along; NULL when there is none. Linux only.
void *mt_metal_symbol(const char *name);

// The symbol of that name that would have been found had this library not been there. Linux only.
void *mt_next_symbol(const char *name);

// Is the Metal library in the process?
bool mt_metal_there(void);

// Is a driver of Metal in the process? Metal loads it with the first device.
bool mt_driver_loaded(void);

// Metal's functions, recorded. Original is Metal's own.
id mt_create_default_device(id (*original)(void));
id mt_copy_all_devices(id (*original)(void));
id mt_copy_observed_devices(id (*original)(id *, void *), id *observer, void *handler);
#endif
