// A thread's ring, and the other state it needs to record without a lock, an allocation or a system call.
//
// Rule: only its own thread touches a struct thread. It is found through one thread-local pointer: NULL before the
// thread's first call, MT_THREAD_GONE after its exit handler ran. See region.h for the memory order of publishing.
//
// A feature keeps its own state for each thread in an array of MT_THREADS elements, indexed by the thread's index, and
// resets it when a thread opens (feature.h). This struct has the state of the core and what the trampolines write
// during timed calls.
#ifndef MTRACE_THREAD_H
#define MTRACE_THREAD_H
#include <pthread.h>
#include "core/region.h"
#include "core/state.h"
#include "system/doorbell.h"
#include "system/hidden.h"

enum { MT_SENT_TEXTS = 512 };
enum { MT_THREADS = MT_RING_COUNT + 1 }; // the last index belongs to no ring: see cost.c

struct thread {
  // Threads share no cache line, and no pair of lines. The fields that a lock reads are in one line.
  _Alignas(128) struct ring *ring;
  uint64_t head;       // records published; only this thread writes the ring's head, so it need not be read back
  uint64_t look_again; // the head at which to check the tail and ring the doorbell if needed
  struct stacks *stacks; // NULL when stacks are not recorded. See stack.h.
  // a lock or another object that the thread will release; owed is called at the release, or before the next record.
  // NULL if nothing is owed
  const void *held;
  void (*owed)(struct thread *t); // writes a delayed record and clears held: see locks.h
  unsigned index;      // into the arrays that features keep per thread; it stays with the ring
  bool own_work;     // the tracer's own work is running: its waits are not the program's
  bool delaying;     // inside a delay of an experiment. See delay.h.
  bool canary;       // the self-check is running: its calls are not recorded. See canary.h.
  // A record or a fact is being written: a signal handler that interrupts that, and waits, must record nothing.
  bool writing;
  bool python_known; // the thread's cache of Python frames holds none of the ring's previous thread. See python.c.
  uint64_t tail;       // the tail as last seen
  uint64_t stuck, facts_stuck; // the tails at which waiting for free space failed
  struct inside {
    uintptr_t frame; // frame of the outermost call in progress, 0 when there is none. See span.h.
    uint64_t begin, current;
  } inside[MT_FAMILY_COUNT];
  struct made_inside {
    const void *object;
    unsigned family;
  } made_inside[4]; // objects created by inner calls of the current call
  unsigned made_inside_count;
  // the class of the last object created of each family, if such an object only needs a number
  const void *plain[MT_FAMILY_COUNT];
  uint32_t next_number, last_number;  // reserved numbers for objects: see identity.h. They stay with the ring.
  unsigned command_buffers; // made here
  unsigned exits;    // rounds of thread exit handlers so far
  uint64_t sent[MT_SENT_TEXTS]; // StringIDs whose texts this thread has sent, direct mapped
};

#define MT_THREAD_GONE ((struct thread *)1)

#ifdef __linux__
// The library is loaded at start, so its thread-locals are in the static block: one instruction.
extern MT_HIDDEN _Thread_local struct thread *mt_thread_pointer __attribute__((tls_model("initial-exec")));
static inline struct thread *mt_thread_get(void) { return mt_thread_pointer; }
static inline void mt_thread_set(struct thread *t) { mt_thread_pointer = t; }
#else
// On macOS dyld allocates a thread-local at its first use and frees it at an unspecified time at exit; the value of a
// key has neither problem.
extern pthread_key_t mt_thread_key;
extern bool mt_thread_key_made;
static inline struct thread *mt_thread_get(void) { return mt_thread_key_made ? pthread_getspecific(mt_thread_key) :
    NULL; }
static inline void mt_thread_set(struct thread *t) { pthread_setspecific(mt_thread_key, t); }
#endif

// Returns the system's id of the calling thread. Costs a system call.
uint64_t mt_thread_id(void);

// Creates the key whose destructor releases rings. Returns false when the process has no key left.
bool mt_thread_start(void);

// Returns the state of a calling thread that has none yet, for which it takes a ring; NULL if the call is not to be
// recorded.
struct thread *mt_thread_open(struct thread *now);

// Waits for or finds space for n records. Returns false if there is none, and counts the records as dropped.
bool mt_thread_make_room(struct thread *t, unsigned n);

// In the child of a fork: the calling thread has no ring here.
void mt_thread_forget(void);

// Returns the calling thread's state, or NULL if calls on it are not recorded now.
static inline struct thread *mt_thread(void) {
  struct thread *t = mt_thread_get();
  return __builtin_expect((uintptr_t)t > (uintptr_t)MT_THREAD_GONE, 1) ? t : mt_thread_open(t);
}

// Writes a record's four words into a slot one by one. A record gathered with narrow stores and copied with wide loads
// would wait until the stores leave the processor's store buffer, which costs as much as the rest of the record.
static inline void mt_record_put(struct record *slot, uint64_t begin, uint64_t end, uint64_t arg, uint64_t rest) {
  __atomic_store_n(&slot->begin, begin, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->end, end, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->arg, arg, __ATOMIC_RELAXED);
  __atomic_store_n((uint64_t *)&slot->object, rest, __ATOMIC_RELAXED);
}

// These functions build the fourth 64-bit word of a record from its fields object, call and flags, in the order of
// struct record. mt_record_flags builds the bits of the flags alone.
static inline uint64_t mt_record_flags(unsigned flags) { return (uint64_t)(uint16_t)flags << 48; }
static inline uint64_t mt_record_rest(uint32_t object, unsigned call, unsigned flags) {
  return object | (uint64_t)(uint16_t)call << 32 | mt_record_flags(flags);
}

// Is there space for n records, 1 or 2? If not, counts them as dropped.
static inline bool mt_thread_room(struct thread *t, unsigned n) { return __builtin_expect(t->head + n <= t->look_again,
    1) || mt_thread_make_room(t, n); }

// Returns the slot of the record at a position.
static inline struct record *mt_ring_slot(struct ring *ring, uint64_t position) {
    return &ring->records[position & (MT_RECORDS_PER_RING - 1)]; }

// Marks that the thread begins to write records, until move_head publishes them. In between a signal handler may run on
// this thread, and only on this thread: compiler fences are enough.
static inline void mt_thread_write(struct thread *t) {
  t->writing = true;
  atomic_signal_fence(memory_order_seq_cst);
}

// Publishes all records up to a position, with one release store; ring is the thread's.
static inline void mt_thread_move_head(struct thread *t, struct ring *ring, uint64_t head) {
  t->head = head;
  atomic_store_explicit(&ring->head, head, memory_order_release);
  atomic_signal_fence(memory_order_seq_cst);
  t->writing = false;
}

// Wakes the drainer if it sleeps, after records were published.
static inline void mt_thread_wake(void) {
  if (__builtin_expect(atomic_load_explicit(&mt_drainer_sleeps, memory_order_relaxed), 0)) mt_doorbell_wake();
}

// Adds one to a counter of the calling thread's ring.
static inline void mt_tally(_Atomic uint64_t *counter) {
  atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_relaxed);
}

// Finds space for 1 or 2 records, publishes them at once and wakes the drainer.
static inline void mt_thread_publish(struct thread *t, const struct record *records, unsigned n) {
  if (!mt_thread_room(t, n)) return;
  mt_thread_write(t);
  for (unsigned i = 0; i < n; i++)
    mt_record_put(mt_ring_slot(t->ring, t->head + i), records[i].begin, records[i].end, records[i].arg,
                  mt_record_rest(records[i].object, records[i].call, records[i].flags));
  mt_thread_move_head(t, t->ring, t->head + n);
  mt_thread_wake();
}
#endif
