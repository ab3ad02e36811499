// Measures how long recording a call takes on this machine; the report computes the tracer's overhead from it.
#ifndef MTRACE_COST_H
#define MTRACE_COST_H
#include <stdint.h>

// Returns how many picoseconds recording adds to a call, not counting the look-up of its object's number; 0 if that
// could not be measured. It takes about 30 µs, so only the drainer's own thread may call it.
uint64_t mt_cost_of_call(void);
#endif
