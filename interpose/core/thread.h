// A thread's ring and what else it needs to record without a lock, an allocation or a system call.
//
// Rule: only its own thread touches a struct thread. It is found through one thread-local pointer: NULL before the
// thread's first call, MT_THREAD_GONE after its exit handler ran. See region.h for the memory order of publishing.
//
// What a feature keeps for each thread it keeps itself, in an array by the thread's index: MT_THREADS long, and begun
// anew when a thread opens (feature.h). In here is what the core needs, and what the trampolines write inside what they
// time.
#ifndef MTRACE_THREAD_H
#define MTRACE_THREAD_H
#include <pthread.h>
#include "core/region.h"
#include "core/state.h"
#include "system/doorbell.h"
#include "system/hidden.h"

enum { MT_SENT_TEXTS = 512 };
enum { MT_THREADS = MT_RING_COUNT + 1 }; // the last belongs to no ring: see cost.c

struct thread {
  // threads share no cache line, nor a pair of them; what a lock asks of its thread is in one line
  _Alignas(128) struct ring *ring;
  uint64_t head;       // records published; the ring's head is this thread's to write, so it need not be read back
  uint64_t look_again; // the head at which to look at the tail and think of the doorbell
  struct stacks *stacks; // NULL when stacks are not recorded. See stack.h.
  // an object that the thread will release; then, or before its next record, owed is called. NULL when nothing is
  // owed
  const void *held;
  void (*owed)(struct thread *t); // writes a record that was put off, and clears held: see locks.h
  unsigned index;      // of what features keep for the thread; it stays with the ring
  bool own_work;     // of the tracer's: what it waits for is not the program's wait
  bool canary;       // the self-check is being made: its calls are not recorded. See canary.h.
  // a record or a fact is being written: a handler of a signal that interrupts that, and waits, records nothing
  bool writing;
  bool python_known; // its cache of Python frames holds none of the ring's last thread. See python.c.
  uint64_t tail;       // the tail as last seen
  uint64_t stuck, facts_stuck; // the tails at which waiting for room was given up
  struct inside {
    uintptr_t frame; // of the outermost call in progress, 0 when there is none. See span.h.
    uint64_t begin, current;
  } inside[MT_FAMILY_COUNT];
  struct made_inside {
    const void *object;
    unsigned family;
  } made_inside[4]; // objects made by inner calls of the one in progress
  unsigned made_inside_count;
  // the class of the last object made of each family, when all there is to do for one of it is to number it
  const void *plain[MT_FAMILY_COUNT];
  uint32_t next_number, last_number;  // of objects: see identity.h. They stay with the ring.
  unsigned command_buffers; // made here
  unsigned exits;    // rounds of thread exit handlers that have passed
  uint64_t sent[MT_SENT_TEXTS]; // StringIDs whose texts this thread has sent, direct mapped
};

#define MT_THREAD_GONE ((struct thread *)1)

#ifdef __linux__
// The library is loaded at start, so its thread-locals are in the static block: one instruction.
extern MT_HIDDEN _Thread_local struct thread *mt_thread_pointer __attribute__((tls_model("initial-exec")));
static inline struct thread *mt_thread_get(void) { return mt_thread_pointer; }
static inline void mt_thread_set(struct thread *t) { mt_thread_pointer = t; }
#else
// dyld allocates a thread-local at its first touch and frees it in some order at exit; a key's value does neither.
extern pthread_key_t mt_thread_key;
extern bool mt_thread_key_made;
static inline struct thread *mt_thread_get(void) { return mt_thread_key_made ? pthread_getspecific(mt_thread_key) :
    NULL; }
static inline void mt_thread_set(struct thread *t) { pthread_setspecific(mt_thread_key, t); }
#endif

// The system's id of the calling thread. A system call.
uint64_t mt_thread_id(void);

// Makes the key whose destructor gives rings back. False when the process has no key left.
bool mt_thread_start(void);

// The calling thread's state when it has none yet: takes a ring. NULL when the call is not to be recorded.
struct thread *mt_thread_open(struct thread *now);

// Makes room for n records, or says that there is none and counts them as dropped.
bool mt_thread_make_room(struct thread *t, unsigned n);

// In the child of a fork: the calling thread has no ring here.
void mt_thread_forget(void);

// The calling thread's state, or NULL when calls on it are not recorded now.
static inline struct thread *mt_thread(void) {
  struct thread *t = mt_thread_get();
  return __builtin_expect((uintptr_t)t > (uintptr_t)MT_THREAD_GONE, 1) ? t : mt_thread_open(t);
}

// Writes a record's four words into a slot, one by one: gathered in narrow stores and copied by wide loads they would
// wait for the stores to leave the processor's buffer, which costs as much as the rest of the record.
static inline void mt_record_put(struct record *slot, uint64_t begin, uint64_t end, uint64_t arg, uint64_t rest) {
  __atomic_store_n(&slot->begin, begin, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->end, end, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->arg, arg, __ATOMIC_RELAXED);
  __atomic_store_n((uint64_t *)&slot->object, rest, __ATOMIC_RELAXED);
}

// The fourth word of a record, as it lies in memory.
static inline uint64_t mt_record_flags(unsigned flags) { return (uint64_t)(uint16_t)flags << 48; }
static inline uint64_t mt_record_rest(uint32_t object, unsigned call, unsigned flags) {
  return object | (uint64_t)(uint16_t)call << 32 | mt_record_flags(flags);
}

// Is there room for n records, 1 or 2? If not they are counted as dropped.
static inline bool mt_thread_room(struct thread *t, unsigned n) { return __builtin_expect(t->head + n <= t->look_again,
    1) || mt_thread_make_room(t, n); }

// Where the record at a position goes.
static inline struct record *mt_ring_slot(struct ring *ring, uint64_t position) {
    return &ring->records[position & (MT_RECORDS_PER_RING - 1)]; }

// The thread begins to write records that move_head will publish. Between the two a handler of a signal may run on this
// thread, and only there: fences for the compiler are enough.
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

// Makes room, publishes and wakes, for 1 or 2 records at once.
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
