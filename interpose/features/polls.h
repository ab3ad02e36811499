// Polling: a thread reads the status of a command buffer, or the value of a shared event, again and again until it
// changes. The thread waits, but no single call shows that.
//
// Rule: a poll writes no record. The thread reads the clock and counts its polls in its own memory; when the value
// changes, it writes one record that lasts from the first poll to the last. A thread that makes other calls between
// two polls, or computes for longer than MT_POLL_WORK_NANOS between them on average, does not wait. Three things do
// not count as other calls: sleeps, timeouts, and waits for locks (after a sleep, a thread of Python must reacquire
// the GIL).
#ifndef MTRACE_POLLS_H
#define MTRACE_POLLS_H
#include "core/thread.h"
#include "hook/objc.h"

// The maximum number of nanoseconds that a thread may compute between two polls, on average and without its pauses,
// to count as waiting. A loop that computes for longer is working.
enum { MT_POLL_WORK_NANOS = 100000 };

// Called when a thread has taken a ring (a buffer for its records). An earlier thread may have used the ring, so this
// resets its state: the new thread has polled nothing yet.
void mt_poll_open(struct thread *t);

// Called by the hook of a getter, with its frame address. Returns the thread's state if the program itself called the
// getter; NULL if another Metal call did, which is no poll, or if nothing is recorded.
struct thread *mt_poll_enter(unsigned family, uintptr_t frame);

// Called when the getter has returned value. over says that the value is final, such as a completed status. Writes
// the record of a wait if this poll ends one. Keeps errno.
void mt_poll_answered(struct thread *t, unsigned family, unsigned call, unsigned flags, id self, uint64_t value,
    bool over, const void *frame);
#endif
