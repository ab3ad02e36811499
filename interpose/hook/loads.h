// Detects whether classes may have been loaded since the last look for a class: one source file per system.
//
// objc_lookUpClass takes the runtime's lock, and a miss also calls Swift's class hook (objc4,
// runtime/objc-runtime-new.mm: look_up_class). Most programs never load the frameworks that are looked for, so every
// look would be a miss.
#ifndef MTRACE_LOADS_H
#define MTRACE_LOADS_H
#include <stdint.h>

// Starts counting; once, before the first look.
void mt_loads_start(void);

// Returns a number that changes whenever classes may have been loaded. It takes no lock.
uint64_t mt_loads(void);
#endif
