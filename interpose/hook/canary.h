// The self-check: makes a known number of Metal calls on a queue of its own. It runs directly after the program has
// created its first device. Facts report which calls were made, and records of kind canary which calls were recorded.
// If the two differ, hooks are missing on this system. Neither counts as a call of the program.
#ifndef MTRACE_CANARY_H
#define MTRACE_CANARY_H
#include "hook/objc.h"
#include "core/thread.h"

// The self-check's objects get numbers from the end of the range of object numbers, so that the program's objects have
// the same numbers with and without the self-check.
#define MT_CANARY_FIRST 0x7fff0000u // these numbers end before MT_FIRST_LOCK, the first number of a lock
static inline bool mt_canary_has(uint32_t number) { return number >= MT_CANARY_FIRST && number < MT_FIRST_LOCK; }

// Reads from the environment (MTRACE_SELF_CHECK) whether the self-check is requested.
void mt_canary_start(void);

// Runs the self-check if it was requested: once per process, on the first device and on the thread that created the
// device.
void mt_canary_fly(struct thread *t, id device);

// Notes an object that the self-check created, so that its number is removed when the self-check ends.
void mt_canary_keep(const void *object);

// Returns the number for an object that one of the self-check's calls has created.
uint32_t mt_canary_number(void);

// Records that a hook has seen a call of the self-check.
void mt_canary_seen(struct thread *t, unsigned call);
#endif
