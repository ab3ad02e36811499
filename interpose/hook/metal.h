// The Metal library of the process.
#ifndef MTRACE_METAL_H
#define MTRACE_METAL_H
#include <stdbool.h>

// Is it in the process?
bool mt_metal_there(void);

// Is a driver of Metal in the process? Metal loads it with the first device.
bool mt_driver_loaded(void);

#ifdef __linux__
// The address of a symbol in the Metal library the program uses or what that brought along; NULL when there is none.
void *mt_metal_symbol(const char *name);

// Metal's functions by which programs get devices, and compile without one, in the order of their table in
// interpose_linux.c.
enum mt_metal_function { MT_METAL_CREATE, MT_METAL_COPY, MT_METAL_COPY_OBSERVED, MT_METAL_BUILD_REQUEST,
    MT_METAL_FUNCTIONS };

// Metal's own function for a caller, an address in the library that calls, or for anybody when that is NULL: what the
// caller would call if the tracer were not there, else what a dlsym has found, else that of any library in the process.
// NULL when there is none.
void *mt_metal_real(unsigned which, const void *caller);

// The same for a caller that asks whether there is such a function.
void *mt_metal_behind(unsigned which, const void *caller);

// A dlsym has found it.
void mt_metal_found(unsigned which, void *real);
#endif
#endif
