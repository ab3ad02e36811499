// Measures what recording a call costs on this machine, for the report.
#ifndef MTRACE_COST_H
#define MTRACE_COST_H
#include <stdint.h>

// Picoseconds that recording adds to a call, without the lookup of its object's number; 0 when it could not be
// measured. Takes about 30 µs: for the drainer's own thread.
uint64_t mt_cost_of_call(void);
#endif
