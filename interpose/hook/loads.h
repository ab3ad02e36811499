// Detects whether Objective-C classes may have been loaded since the tracer last looked up a class. loads_darwin.c
// and loads_linux.c implement it.
//
// objc_lookUpClass takes the runtime's lock; if the class is missing, it also calls Swift's class hook (objc4,
// runtime/objc-runtime-new.mm: look_up_class). Most programs never load the frameworks that the tracer looks for.
// Without this check every look-up would be such a slow, unsuccessful one.
#ifndef MTRACE_LOADS_H
#define MTRACE_LOADS_H
#include <stdint.h>

// Starts watching for loaded classes. Call it once, before the first look-up of a class: without this call
// mt_loads never changes on macOS.
void mt_loads_start(void);

// Returns a number that changes whenever classes may have been loaded since the last call. It takes no lock.
uint64_t mt_loads(void);
#endif
