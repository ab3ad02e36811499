// The device's own account of what is allocated, now and then: it knows what no call shows, such as Metal's own memory.
//
// Rule: at most once in a millisecond, and only where a device is at hand that is alive: in a call that allocates, and
// in the completion handler. now is the tick it is written down with: a call's record comes after it, and must not end
// before it.
#ifndef MTRACE_MEMORY_H
#define MTRACE_MEMORY_H
#include <stdatomic.h>
#include "system/hidden.h"
#include "hook/objc.h"

extern MT_HIDDEN _Atomic uint64_t mt_memory_looked; // at what tick it was asked whether it is time

// Is it time to ask? The call's own reading of the clock says mostly that it is not: another would cost each completion
// as much as its records do. So many ticks are less than a millisecond on any clock: Apple silicon's has 24 million a
// second, x86-64's counters a billion at least.
#ifdef __APPLE__
enum { MT_MEMORY_FEW_TICKS = 20000 };
#else
enum { MT_MEMORY_FEW_TICKS = 1000000 };
#endif
static inline bool mt_memory_due(uint64_t now) { return now - atomic_load_explicit(&mt_memory_looked,
    memory_order_relaxed) >= MT_MEMORY_FEW_TICKS; }

// Looks up what a class of devices does for currentAllocatedSize.
void mt_memory_see(unsigned slot, Class class, unsigned family);

// Samples the device of a command buffer that has completed, if it is time.
struct mt_completed;
struct thread;
void mt_memory_completed(struct thread *t, const struct mt_completed *completed);

// Samples a device, if it is time.
void mt_memory_sample(struct thread *t, id device, uint64_t now);
#endif
