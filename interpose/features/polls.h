// Polling: a thread that asks a command buffer for its status, or a shared event for its value, again and again until
// that changes, waits without any call that says so.
//
// Rule: asking writes no record. The thread counts in its own memory how often it has asked, and reads the clock; when
// it sees the change it writes one record from its first question to the last. A thread that makes other calls between
// two questions, or computes for longer than MT_POLL_WORK_NANOS between them on average, does not wait. Pauses are no
// such calls: sleeps, timeouts, and waits for locks (a thread of Python that slept must reacquire the GIL).
#ifndef MTRACE_POLLS_H
#define MTRACE_POLLS_H
#include "core/thread.h"
#include "hook/objc.h"

// Between two questions a loop that only waits does less than this beside its pauses.
enum { MT_POLL_WORK_NANOS = 100000 };

// A thread has taken a ring: it has asked for nothing.
void mt_poll_open(struct thread *t);

// Enters a getter whose trampoline has the given frame. Returns NULL if the program did not make the call itself:
// Metal's own calls make nested ones.
struct thread *mt_poll_enter(unsigned family, uintptr_t frame);

// The getter has answered. Over says whether no other answer will follow. Keeps errno.
void mt_poll_answered(struct thread *t, unsigned family, unsigned call, unsigned flags, id self, uint64_t value,
    bool over, const void *frame);
#endif
