// Finds the Metal library of the process and its functions.
#ifndef MTRACE_METAL_H
#define MTRACE_METAL_H
#include <stdbool.h>

// Returns whether the Metal library is in the process.
bool mt_metal_there(void);

// Returns whether a Metal driver is in the process. Metal loads the driver with the first device, so this tells
// whether the process has used Metal.
bool mt_driver_loaded(void);

#ifdef __linux__
// Returns the address of a symbol in the program's Metal library or in the libraries on which that depends, such as
// the Objective-C runtime; NULL if there is none.
void *mt_metal_symbol(const char *name);

// The functions of Metal that are replaced: those that return devices, and the one that compiles without a device.
// The table in interpose_linux.c has the same order.
enum mt_metal_function { MT_METAL_CREATE, MT_METAL_COPY, MT_METAL_COPY_OBSERVED, MT_METAL_BUILD_REQUEST,
    MT_METAL_FUNCTIONS };

// Returns Metal's own function, as seen from caller, an address in the calling library. It tries three functions in
// turn: the function that the caller would reach without the tracer; the function that mt_metal_found has remembered;
// a function of that name in any library of the process. If caller is NULL, the first step is skipped. Returns NULL if
// there is none.
void *mt_metal_real(unsigned which, const void *caller);

// Like mt_metal_real, for a caller that asks dlsym whether the function exists. It does not search all libraries of
// the process: a function that the caller itself could not reach does not count.
void *mt_metal_behind(unsigned which, const void *caller);

// Remembers Metal's own function, which dlsym has found.
void mt_metal_found(unsigned which, void *real);
#endif
#endif
