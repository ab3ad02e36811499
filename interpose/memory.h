// The device's own account of what is allocated, now and then: it knows what no call shows, such as Metal's own memory.
//
// Rule: at most once in a millisecond, and only where a device is at hand that is alive: in a call that allocates, and in the
// completion handler. now is the tick it is written down with: a call's record comes after it, and must not end before it.
#ifndef MTRACE_MEMORY_H
#define MTRACE_MEMORY_H
#include "objc.h"

struct thread;
void mt_memory_sample(struct thread *t, id device, uint64_t now);

// The same, for the device of a command buffer.
void mt_memory_sample_of(struct thread *t, id command_buffer, uint64_t now);
#endif
