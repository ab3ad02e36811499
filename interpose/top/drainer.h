// The drainer, the Go half of the library: how it is started, and the C functions that it calls. Plain types only,
// because cgo reads this header.
#ifndef MTRACE_DRAINER_H
#define MTRACE_DRAINER_H
#include <stddef.h>
#include <stdint.h>
#include "wire.h"

// Starts the drainer. If that fails, the collector reads the rings alone.
void mt_drainer_start(void);

// Called by the drainer on its own thread when it starts: waits for the first Metal call, blocks the program's signals
// on the thread, and undoes what Go's start changed in the process. Returns 0 when there is nothing to drain and never
// will be.
int mt_drainer_ready(void);

// The shared memory, or NULL.
uint8_t *mt_drainer_region(void);

// Sends a frame of two pieces. Returns 0 when the collector is gone.
int mt_drainer_send(unsigned kind, unsigned ring, uint64_t position, const void *a, size_t a_length, const void *b,
    size_t b_length);

// Sends the images and names that are new since the last call, if stacks are recorded. Returns 0 when the collector is
// gone.
int mt_drainer_name(void);

// Measures what recording a call costs and sends the result. Returns 0 when the collector is gone.
int mt_drainer_cost(void);

// Writes a new clock sample into the region and sends it. Returns 0 when the collector is gone.
int mt_drainer_sample(void);

// Waits until the doorbell rings or the time is over; a negative time means no limit. Returns 1 if it rang.
int mt_drainer_wait(int milliseconds);

// Makes the writer of the next record ring the doorbell. Returns 1 if that was requested before and nobody has written
// since.
int mt_drainer_ask_to_be_woken(void);
#endif
