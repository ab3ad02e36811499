// Devices that are made where no function of ours stands.
#ifndef MTRACE_BASE_H
#define MTRACE_BASE_H

#include <stdbool.h>

// Hooks the initializers of Metal's base classes, once, where Metal is in the process and has registered its classes.
// Called by the constructor, when the collector has answered, and on Linux again when Metal may have come with another
// library.
void mt_base_hook(void);

// Are they hooked?
bool mt_base_hooked(void);
#endif
