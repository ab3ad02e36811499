// Measures what recording a call costs on this machine; the report states the tracer's overhead with it.
#ifndef MTRACE_COST_H
#define MTRACE_COST_H
#include <stdint.h>

// Returns how many picoseconds recording adds to a call, without looking up its object's number; 0 when that could
// not be measured. It takes about 30 µs, so only the drainer's own thread may call it.
uint64_t mt_cost_of_call(void);
#endif
