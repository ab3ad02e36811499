// Detects whether Objective-C classes may have been loaded since the last look for a class. loads_darwin.c and
// loads_linux.c implement it.
//
// objc_lookUpClass takes the runtime's lock, and a miss also calls Swift's class hook (objc4,
// runtime/objc-runtime-new.mm: look_up_class). Most programs never load the frameworks that the tracer looks for, so
// that without this check every look would be such a miss.
#ifndef MTRACE_LOADS_H
#define MTRACE_LOADS_H
#include <stdint.h>

// Starts counting loads. Call it once, before the first look for a class.
void mt_loads_start(void);

// Returns a number that changes whenever classes may have been loaded since the last call. It takes no lock.
uint64_t mt_loads(void);
#endif
