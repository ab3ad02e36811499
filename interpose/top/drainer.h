// The drainer, the Go half of the library: how it is started, and the few things it asks of C. Plain types only: this
// is what cgo reads.
#ifndef MTRACE_DRAINER_H
#define MTRACE_DRAINER_H
#include <stddef.h>
#include <stdint.h>
#include "wire.h"

// Starts it, or leaves the rings to the collector, which takes over those that fill.
void mt_drainer_start(void);

// Called by the drainer, on its own thread, when it runs: waits for the first Metal call, hides the thread from the
// program's signals, and undoes what Go's start did to the process. 0 when there is nothing to drain and never will be.
int mt_drainer_ready(void);

// The shared memory, or NULL.
uint8_t *mt_drainer_region(void);

// Sends a frame of two pieces. 0 when the collector is gone.
int mt_drainer_send(unsigned kind, unsigned ring, uint64_t position, const void *a, size_t a_length, const void *b,
    size_t b_length);

// Sends what was loaded, and named, since the last time; only when stacks are recorded. 0 when the collector is gone.
int mt_drainer_name(void);

// Measures what recording a call costs and sends it. 0 when the collector is gone.
int mt_drainer_cost(void);

// Writes a new clock sample into the region and sends it. 0 when the collector is gone.
int mt_drainer_sample(void);

// Waits until the doorbell rings or the time is over; negative is without end. 1 when it rang.
int mt_drainer_wait(int milliseconds);

// Asks the writer of the next record to ring the doorbell; 1 when that was asked before and nobody has written since.
int mt_drainer_ask_to_be_woken(void);
#endif
