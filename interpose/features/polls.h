// Polling: a thread reads the status of a command buffer, or the value of a shared event, again and again until it
// changes. The thread waits, but no single call shows that.
//
// Rule: a poll writes no record. The thread counts its polls in its own memory, and reads the clock; when it sees the
// change it writes one record from its first poll to the last. A thread that makes other calls between two polls, or
// computes for longer than MT_POLL_WORK_NANOS between them on average, does not wait. Pauses do not count as other
// calls: sleeps, timeouts, and waits for locks (a thread of Python that slept must reacquire the GIL).
#ifndef MTRACE_POLLS_H
#define MTRACE_POLLS_H
#include "core/thread.h"
#include "hook/objc.h"

// Between two polls, a loop that only waits computes for less than this, apart from its pauses.
enum { MT_POLL_WORK_NANOS = 100000 };

// Called when a thread has taken a ring: the thread has polled nothing yet.
void mt_poll_open(struct thread *t);

// Called by the trampoline of a getter, with its frame. Returns NULL if another Metal call made the call, and not the
// program itself.
struct thread *mt_poll_enter(unsigned family, uintptr_t frame);

// Called when the getter has returned. over reports that the result is final. Keeps errno.
void mt_poll_answered(struct thread *t, unsigned family, unsigned call, unsigned flags, id self, uint64_t value,
    bool over, const void *frame);
#endif
