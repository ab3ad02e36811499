// The drainer, the Go half of the library, which moves records from the shared memory to the collector: how it is
// started, and the C functions that it calls. cgo reads this header, so it contains only plain types.
#ifndef MTRACE_DRAINER_H
#define MTRACE_DRAINER_H
#include <stddef.h>
#include <stdint.h>
#include "wire.h"

// Starts the drainer (the tracer's thread that sends records to the collector). If that fails, the collector alone
// reads the rings (the threads' buffers of records in shared memory).
void mt_drainer_start(void);

// Called by the drainer (the tracer's thread that sends records to the collector) on its own thread when it starts.
// Waits for the first Metal call, blocks all signals on the thread, and undoes the changes that Go's start has made
// in the process. Returns 0 if this process will never record anything.
int mt_drainer_ready(void);

// Returns the shared memory with the rings (the threads' buffers of records), or NULL.
uint8_t *mt_drainer_region(void);

// Sends a frame whose payload is `a` followed by `b`. Returns 0 when the collector is gone.
int mt_drainer_send(unsigned kind, unsigned ring, uint64_t position, const void *a, size_t a_length, const void *b,
    size_t b_length);

// Sends the images and function names that are new since the last call, if stacks are recorded. Returns 0 when the
// collector is gone.
int mt_drainer_name(void);

// Measures what recording a call costs and sends the result. Returns 0 when the collector is gone.
int mt_drainer_cost(void);

// Takes a clock sample, stores it in the shared memory and sends it. Returns 0 when the collector is gone.
int mt_drainer_sample(void);

// Waits until a thread rings the doorbell or the time is over; a negative time means no limit. Returns 1 if the
// doorbell rang.
int mt_drainer_wait(int milliseconds);

// Asks the next thread that writes a record to ring the doorbell, which wakes the drainer (the tracer's thread that
// sends records to the collector). Returns 1 if the drainer had already asked and no thread has written since; it may
// then sleep without a time limit.
int mt_drainer_ask_to_be_woken(void);
#endif
