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

// Metal's own functions by which programs get devices, and compile without one: what the program found, or the next one; NULL when there is none.
enum mt_metal_function { MT_METAL_CREATE, MT_METAL_COPY, MT_METAL_COPY_OBSERVED, MT_METAL_BUILD_REQUEST, MT_METAL_FUNCTIONS };
void *mt_metal_real(unsigned which);
void mt_metal_found(unsigned which, void *real);
#endif
#endif
