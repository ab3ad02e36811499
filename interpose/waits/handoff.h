// Finds out which thread woke which. For each condition variable and semaphore that threads wait for, it stores the
// thread that signalled it last. For each semaphore, and each mutex whose owner the system does not show, it stores
// the thread that took it last.
//
// Rule: the table has a fixed size and no operation on it waits. It may forget a thread, but never names a thread for
// the wrong object. Two objects that share an entry overwrite each other's thread, and then the thread is reported as
// unknown.
//
// Memory order: an entry is one word with the thread and a tag of the object's address, so a reader sees a whole entry
// and can tell which object it is for. The address is multiplied by an odd 64-bit number; 12 bits of the product choose
// the entry, 32 are the tag. Of fifty objects in use about one shares its entry. The word is stored before the signal
// and loaded after the wait; the signal itself orders the two, as release and acquire. `at`, the time of the signal, is
// a separate word and may belong to another signal at the same moment. So a reader uses the time only if it lies within
// its own wait. The 16 bits of `fetched` may also match by accident: one match proves nothing, so the analysis requires
// that half of them match.
#ifndef MTRACE_HANDOFF_H
#define MTRACE_HANDOFF_H
#include <stdbool.h>
#include <stdint.h>
#include "core/thread.h"

// The signal that ended a thread's wait. The thread reads these values when the wait is over.
struct handoff {
  uint64_t by;     // the thread that signalled last, 0 when not known
  uint64_t at;     // the time of the signal, in ticks; 0 when not known
  bool given_back; // the semaphore was released by the thread that had acquired it, as a lock is
  // true if before its last commit, the signalling thread had touched an object that the waiting thread had touched,
  // too: a sign that the waiting thread handed work to it
  bool fetched;
};

// Called before the calling thread signals an object. If `waited` is true, a thread may be waiting for the object. The
// calling thread is then stored as the last one that signalled the object, so that the waiting thread can report which
// thread woke it. If `waited` is false, the signal is noted only in the calling thread's own data (mt_handoff_gave).
void mt_handoff_give(const void *object, bool waited);

// Called when the calling thread has acquired a semaphore or a mutex. If `waited` is true, the thread had to wait, and
// the object gets an entry in the table if it has none. The object then counts as touched by this thread: two threads
// that touch the same object may hand work to each other.
void mt_handoff_take(const void *object, bool waited);

// Does the same as mt_handoff_take, but the object does not count as touched by this thread. Use it for the mutex of
// the GIL, which all Python threads touch constantly.
void mt_handoff_hold(const void *object, bool waited);

// Returns which thread ended the calling thread's wait for object, from begin to end; all fields are 0 if it is
// unknown.
struct handoff mt_handoff_read(const void *object, uint64_t begin, uint64_t end);

// Returns the object that the calling thread signalled last since the previous call of this function; NULL if there
// is none. The thread must have a ring.
const void *mt_handoff_gave(void);

// Notes that thread t has acquired a mutex whose owner the system shows.
void mt_handoff_touched(struct thread *t, const void *object);

// Notes that the calling thread has acquired a mutex whose owner the system shows. Inside Metal's calls, and for a
// thread without a ring (a buffer for records), nothing is noted; these are the most frequent cases.
static inline void mt_handoff_touch(const void *object) {
  struct thread *t = mt_thread_get();
  if ((uintptr_t)t > (uintptr_t)MT_THREAD_GONE && atomic_load_explicit(&t->ring->current,
      memory_order_relaxed) == 0) mt_handoff_touched(t, object);
}

// Called when a thread has taken a ring (a buffer for its records). An earlier thread may have used the ring: this
// forgets what that thread has touched.
void mt_handoff_open(struct thread *t);

// Called when thread t commits a command buffer: objects touched from now on belong to the next request.
void mt_handoff_commit(struct thread *t);

// Returns the thread that acquired the object last; 0 if it is unknown.
uint64_t mt_handoff_taker(const void *object);
#endif
