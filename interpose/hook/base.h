// Finds devices that the program gets without calling any of Metal's C functions that this library replaces.
#ifndef MTRACE_BASE_H
#define MTRACE_BASE_H

#include <stdbool.h>

// Hooks the initializers of Metal's base classes, once, if Metal is in the process and has registered its classes. It
// is called when the collector has answered; on Linux again after a library was loaded, which may have brought Metal.
void mt_base_hook(void);

// Returns whether the initializers of Metal's base classes are hooked.
bool mt_base_hooked(void);
#endif
