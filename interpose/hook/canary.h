// The self-check: a known number of calls through a queue of the library's own, before the program has made any Metal
// call except the one for its device. Facts report the calls that were made, records of the tracer report the calls
// that were recorded; neither counts as a call of the program.
#ifndef MTRACE_CANARY_H
#define MTRACE_CANARY_H
#include "hook/objc.h"
#include "core/thread.h"

// The self-check's objects have numbers of their own, at the end of the range, so the numbers of the program's objects
// do not change.
#define MT_CANARY_FIRST 0x7fff0000u // up to the first number of a lock
static inline bool mt_canary_has(uint32_t number) { return number >= MT_CANARY_FIRST && number < MT_FIRST_LOCK; }

// Is the self-check requested? Reads the environment.
void mt_canary_start(void);

// Makes the calls, once per process, on the first device and on the thread that created the device.
void mt_canary_fly(struct thread *t, id device);

// Marks an object as one that the self-check created, so that calls on it are not counted as the program's.
void mt_canary_keep(const void *object);

// Returns a number for an object that one of the self-check's calls created.
uint32_t mt_canary_number(void);

// Records that a call of the self-check was seen.
void mt_canary_seen(struct thread *t, unsigned call);
#endif
