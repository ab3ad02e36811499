// Devices that are created without passing a replaced function.
#ifndef MTRACE_BASE_H
#define MTRACE_BASE_H

#include <stdbool.h>

// Hooks the initializers of Metal's base classes, once, if Metal is in the process and has registered its classes. The
// constructor calls it when the collector has answered; on Linux it is called again when a library that was loaded
// since may have brought Metal.
void mt_base_hook(void);

// Are they hooked?
bool mt_base_hooked(void);
#endif
