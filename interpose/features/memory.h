// Samples how much memory the device reports as allocated. That includes memory that no call shows, such as Metal's
// own.
//
// Rule: at most one sample is taken per millisecond, and only where the device certainly exists: in a call that
// allocates, and in the completion handler. The parameter now becomes the time of the sample's record. The record of
// the surrounding call is written after the sample's, so that call must not end before now; otherwise the thread's
// records would not be in order of their end times.
#ifndef MTRACE_MEMORY_H
#define MTRACE_MEMORY_H
#include <stdatomic.h>
#include "system/hidden.h"
#include "hook/objc.h"

extern MT_HIDDEN _Atomic uint64_t mt_memory_looked; // the tick of the last check whether a sample is due

// Returns whether a sample may be due, by a clock reading that the caller has anyway. It mostly returns false, which
// saves another reading: that would cost a completion as much as its records. MT_MEMORY_FEW_TICKS is less than a
// millisecond on any clock: Apple silicon has 24 million ticks per second, an x86-64 counter at least a billion.
#ifdef __APPLE__
enum { MT_MEMORY_FEW_TICKS = 20000 };
#else
enum { MT_MEMORY_FEW_TICKS = 1000000 };
#endif
static inline bool mt_memory_due(uint64_t now) { return now - atomic_load_explicit(&mt_memory_looked,
    memory_order_relaxed) >= MT_MEMORY_FEW_TICKS; }

// Looks up the method currentAllocatedSize of a new class of devices.
void mt_memory_see(unsigned slot, Class class, unsigned family);

// Samples the device of a completed command buffer, if a sample is due.
struct mt_completed;
struct thread;
void mt_memory_completed(struct thread *t, const struct mt_completed *completed);

// Samples a device's allocated memory, if a sample is due. now is the current tick.
void mt_memory_sample(struct thread *t, id device, uint64_t now);
#endif
