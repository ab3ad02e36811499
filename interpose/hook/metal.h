// The Metal library of the process.
#ifndef MTRACE_METAL_H
#define MTRACE_METAL_H
#include <stdbool.h>

// Is the Metal library in the process?
bool mt_metal_there(void);

// Is a Metal driver in the process? Metal loads it with the first device.
bool mt_driver_loaded(void);

#ifdef __linux__
// Returns the address of a symbol in the program's Metal library or in the libraries that it depends on; NULL if there
// is none.
void *mt_metal_symbol(const char *name);

// Metal's functions that return devices, or compile without a device, in the order of their table in interpose_linux.c.
enum mt_metal_function { MT_METAL_CREATE, MT_METAL_COPY, MT_METAL_COPY_OBSERVED, MT_METAL_BUILD_REQUEST,
    MT_METAL_FUNCTIONS };

// Metal's own function for a caller, given as an address in the calling library: the function that the caller would
// call without the tracer, otherwise the one that dlsym found, otherwise that of any library in the process. With NULL
// for the caller, the last two. NULL when there is none.
void *mt_metal_real(unsigned which, const void *caller);

// Returns the function like mt_metal_real, for a caller that asks whether such a function exists.
void *mt_metal_behind(unsigned which, const void *caller);

// dlsym has found Metal's function.
void mt_metal_found(unsigned which, void *real);
#endif
#endif
