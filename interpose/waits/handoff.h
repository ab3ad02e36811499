// Who woke whom: for each condition variable and semaphore that threads wait for, the thread that signalled it last,
// and for each semaphore, and each mutex where the system does not say who has it, the thread that took it last.
//
// Rule: a table of fixed size that is written without waiting and may forget, but never names a thread for the wrong
// object. Two objects that share an entry push each other out; then the name is not known, which is what is reported.
//
// Memory order: a name is one word with the thread and a tag of the object's address, so every read is whole and no
// reader uses another object's entry. A 64-bit product with an odd number maps no two addresses to one; 12 bits
// choose the entry, 32 are the tag, so of fifty objects in use about one shares an entry. The word is stored before
// the signal and loaded after the wait; the signal itself orders them, as a release and an acquire. The time next to
// it is a separate word and may belong to another signal of the same moment, so a reader uses it only if it lies
// within its wait. Sixteen bits may also match another object: one answer proves nothing, and the analysis requires
// half of them.
#ifndef MTRACE_HANDOFF_H
#define MTRACE_HANDOFF_H
#include <stdbool.h>
#include <stdint.h>
#include "core/thread.h"

// The result for a thread after its wait.
struct handoff {
  uint64_t by;     // the thread that signalled last, 0 when not known
  uint64_t at;     // when, in ticks; 0 when not known
  bool given_back; // the semaphore was released by the thread that had acquired it, as a lock is
  // before its last commit, the signalling thread had touched an object that the waiting thread had touched
  bool fetched;
};

// The calling thread is about to signal an object. waited: there may be a thread to wake; otherwise only the calling
// thread remembers the signal.
void mt_handoff_give(const void *object, bool waited);

// The calling thread has acquired an object, a semaphore or a mutex. waited: it had to wait, and may create an entry.
void mt_handoff_take(const void *object, bool waited);

// The same, without noting that the thread has touched the object.
void mt_handoff_hold(const void *object, bool waited);

// The thread that ended a wait of the calling thread, which began at begin and is over.
struct handoff mt_handoff_read(const void *object, uint64_t begin, uint64_t end);

// The object that the calling thread, which has a ring, signalled last since the previous call; NULL for none.
const void *mt_handoff_gave(void);

// A thread that has a ring has acquired a mutex whose owner the system shows.
void mt_handoff_touched(struct thread *t, const void *object);

// The calling thread has acquired such a mutex. Nothing is noted inside Metal's calls, nor for a thread without a ring:
// these cases are the most frequent.
static inline void mt_handoff_touch(const void *object) {
  struct thread *t = mt_thread_get();
  if ((uintptr_t)t > (uintptr_t)MT_THREAD_GONE && atomic_load_explicit(&t->ring->current,
      memory_order_relaxed) == 0) mt_handoff_touched(t, object);
}

// A thread has taken a ring: nothing is known of what it touched.
void mt_handoff_open(struct thread *t);

// The calling thread, which has a ring, commits work.
void mt_handoff_commit(struct thread *t);

// The thread that acquired the object last, 0 when not known.
uint64_t mt_handoff_taker(const void *object);
#endif
