// Occasional samples of the memory that the device reports as allocated, which includes memory that no call shows, such
// as Metal's own.
//
// Rule: at most one sample in a millisecond, and only in code that has a live device: in a call that allocates, and in
// the completion handler. now is the tick of the sample's record. A call's record is written after the sample's and
// must not end before it.
#ifndef MTRACE_MEMORY_H
#define MTRACE_MEMORY_H
#include <stdatomic.h>
#include "system/hidden.h"
#include "hook/objc.h"

extern MT_HIDDEN _Atomic uint64_t mt_memory_looked; // the tick of the last check whether a sample is due

// Is it worth checking whether a sample is due? The call's own clock reading mostly answers no; another reading would
// cost each completion as much as its records. This number of ticks is less than a millisecond on any clock: Apple
// silicon has 24 million ticks a second, an x86-64 counter at least a billion.
#ifdef __APPLE__
enum { MT_MEMORY_FEW_TICKS = 20000 };
#else
enum { MT_MEMORY_FEW_TICKS = 1000000 };
#endif
static inline bool mt_memory_due(uint64_t now) { return now - atomic_load_explicit(&mt_memory_looked,
    memory_order_relaxed) >= MT_MEMORY_FEW_TICKS; }

// Looks up the method currentAllocatedSize of a class of devices.
void mt_memory_see(unsigned slot, Class class, unsigned family);

// Samples the device of a completed command buffer, if a sample is due.
struct mt_completed;
struct thread;
void mt_memory_completed(struct thread *t, const struct mt_completed *completed);

// Samples a device, if a sample is due.
void mt_memory_sample(struct thread *t, id device, uint64_t now);
#endif
