// The state that a thread needs to record without a lock, an allocation or a system call. The largest part is its
// ring: the buffer in shared memory to which the thread writes records.
//
// Rule: only its own thread touches a struct thread. A thread finds its struct through one thread-local pointer,
// which is NULL before the thread's first call and MT_THREAD_GONE after its exit handler ran. region.h explains the
// memory order of publishing records.
//
// A feature keeps its own state for each thread in an array of MT_THREADS elements, indexed by the thread's index. It
// resets that state when a thread takes a ring (feature.h). This struct has the state of core/, and what the
// trampolines (the functions that replace methods) write during timed calls.
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
  // The struct is aligned to two cache lines, because processors fetch lines in pairs: two threads' fields then never
  // share a line. The fields that a lock operation reads are in the first line.
  _Alignas(128) struct ring *ring;
  uint64_t head;       // records published; only this thread writes the ring's head, so it need not be read back
  // when head reaches this position, the slow path must run: it chooses the ring's next chunk, checks the tail, and
  // wakes the drainer if needed
  uint64_t look_again;
  struct stacks *stacks; // NULL when stacks are not recorded. See stack.h.
  // A lock (or similar object) that the thread holds and whose record is still to be written; NULL if there is none.
  // The function `owed` writes that record when the thread releases the lock, or before the thread writes any other
  // record.
  const void *held;
  void (*owed)(struct thread *t); // writes a delayed record and clears held: see locks.h
  unsigned index;      // the index of this thread in the features' arrays; the ring's next thread gets the same index
  bool own_work;     // the tracer's own work is running: its waits are not the program's
  bool delaying;     // inside a delay of an experiment. See delay.h.
  bool canary;       // the self-check is running: its calls are not recorded. See canary.h.
  // The thread is writing a record or a fact. A signal handler that interrupts it must record nothing, otherwise it
  // would overwrite the same slot.
  bool writing;
  // the thread's cache of Python frames has no entries of the thread that used the ring before. See python.c.
  bool python_known;
  uint64_t stuck, facts_stuck; // the ring's tails when a wait for free space last failed: see room.h
  struct inside {
    uintptr_t frame; // frame of the outermost call in progress, 0 when there is none. See span.h.
    uint64_t begin, current;
  } inside[MT_FAMILY_COUNT];
  struct made_inside {
    const void *object;
    unsigned family;
  } made_inside[4]; // objects created by inner calls of the current call
  unsigned made_inside_count;
  // For each family (a kind of objects, such as queues): the class of the object that the thread created last, if a
  // further object of that class needs nothing but a number. Its creation then takes a short path.
  const void *plain[MT_FAMILY_COUNT];
  uint32_t next_number, last_number;  // reserved object numbers (identity.h), kept for the ring's next thread
  unsigned command_buffers; // number of command buffers that this thread created
  unsigned exits;    // rounds of thread exit handlers so far
  uint64_t sent[MT_SENT_TEXTS]; // StringIDs whose texts this thread has sent, direct mapped
};

#define MT_THREAD_GONE ((struct thread *)1)

#ifdef __linux__
// On Linux the library is loaded at program start, so the initial-exec model is allowed: reading the pointer takes
// one instruction.
extern MT_HIDDEN _Thread_local struct thread *mt_thread_pointer __attribute__((tls_model("initial-exec")));
static inline struct thread *mt_thread_get(void) { return mt_thread_pointer; }
static inline void mt_thread_set(struct thread *t) { mt_thread_pointer = t; }
#else
// On macOS the pointer is the value of a pthread key. dyld would allocate a thread-local variable at its first use
// and free it at an unspecified time during thread exit.
extern pthread_key_t mt_thread_key;
extern bool mt_thread_key_made;
static inline struct thread *mt_thread_get(void) { return mt_thread_key_made ? pthread_getspecific(mt_thread_key) :
    NULL; }
static inline void mt_thread_set(struct thread *t) { pthread_setspecific(mt_thread_key, t); }
#endif

// Returns the operating system's id of the calling thread. Takes a system call.
uint64_t mt_thread_id(void);

// Creates the pthread key whose destructor releases the ring (the thread's buffer of records) of an exiting thread.
// Returns false when the process has no free key.
bool mt_thread_start(void);

// Takes a ring (a buffer for records) for the calling thread and returns the thread's state, or NULL if its calls are
// not recorded. now is the current value of the thread's pointer: NULL or MT_THREAD_GONE.
struct thread *mt_thread_open(struct thread *now);

// Finds space for n records in the thread's ring (its buffer of records in shared memory), waiting if the user asked
// for that. Returns false if there is none, and counts the n records as dropped.
bool mt_thread_make_room(struct thread *t, unsigned n);

// Called in the child of a fork: detaches the calling thread from the parent's ring.
void mt_thread_forget(void);

// Returns the calling thread's state, or NULL if its calls are not recorded now. The first call of a thread takes a
// ring (a buffer for its records).
static inline struct thread *mt_thread(void) {
  struct thread *t = mt_thread_get();
  return __builtin_expect((uintptr_t)t > (uintptr_t)MT_THREAD_GONE, 1) ? t : mt_thread_open(t);
}

// Writes a record into a slot as four whole 64-bit words. The record is later copied by wide loads. After stores of
// single fields, these loads would have to wait for the processor's store buffer. That would cost as much as writing
// the rest of the record.
static inline void mt_record_put(struct record *slot, uint64_t begin, uint64_t end, uint64_t arg, uint64_t rest) {
  __atomic_store_n(&slot->begin, begin, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->end, end, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->arg, arg, __ATOMIC_RELAXED);
  __atomic_store_n((uint64_t *)&slot->object, rest, __ATOMIC_RELAXED);
}

// Build the fourth 64-bit word of a record from its fields object, call and flags, in the order of struct record.
// mt_record_flags returns only the bits of the flags.
static inline uint64_t mt_record_flags(unsigned flags) { return (uint64_t)(uint16_t)flags << 48; }
static inline uint64_t mt_record_rest(uint32_t object, unsigned call, unsigned flags) {
  return object | (uint64_t)(uint16_t)call << 32 | mt_record_flags(flags);
}

// Returns true if the ring (the thread's buffer of records) has space for n records (1 or 2). Otherwise counts them
// as dropped. Call it before writing: a record without space would overwrite one that the collector has not read.
static inline bool mt_thread_room(struct thread *t, unsigned n) { return __builtin_expect(t->head + n <= t->look_again,
    1) || mt_thread_make_room(t, n); }

// Returns the slot of the record at a position. Positions count all records ever written. MT_CHUNK_RECORDS consecutive
// positions are in one chunk of slots, and the thread reuses chunks whose records were read: see thread.c.
static inline struct record *mt_ring_slot(struct ring *ring, uint64_t position) {
  uint64_t i = position / MT_CHUNK_RECORDS % MT_CHUNKS_PER_RING;
  uint64_t chunk = i ^ atomic_load_explicit(&ring->chunks[i], memory_order_relaxed);
  return &ring->records[chunk * MT_CHUNK_RECORDS + position % MT_CHUNK_RECORDS];
}

// Marks that the thread is writing records, until mt_thread_move_head publishes them. Compiler fences are enough,
// because only a signal handler on the same thread can run in between. Without them the handler could see the mark
// too late and overwrite the slot.
static inline void mt_thread_write(struct thread *t) {
  t->writing = true;
  atomic_signal_fence(memory_order_seq_cst);
}

// Finds space for n records as mt_thread_room does, and marks that the thread is writing. If a signal handler used up
// the space between the two steps, it looks for space again: the chunk for these records may not be chosen yet.
static inline bool mt_thread_begin(struct thread *t, unsigned n) {
  while (mt_thread_room(t, n)) {
    mt_thread_write(t);
    if (__builtin_expect(t->head + n <= t->look_again, 1)) return true;
    t->writing = false;
  }
  return false;
}

// Publishes all records before position head, with one release store: the collector then sees complete records. ring
// is the thread's ring (its buffer of records in shared memory).
static inline void mt_thread_move_head(struct thread *t, struct ring *ring, uint64_t head) {
  t->head = head;
  atomic_store_explicit(&ring->head, head, memory_order_release);
  atomic_signal_fence(memory_order_seq_cst);
  t->writing = false;
}

// Wakes the drainer (the tracer's thread that sends records to the collector) if it sleeps. Call it after records
// were published, otherwise they could stay in the ring until the next call.
static inline void mt_thread_wake(void) {
  if (__builtin_expect(atomic_load_explicit(&mt_drainer_sleeps, memory_order_relaxed), 0)) mt_doorbell_wake();
}

// Adds one to a counter of the calling thread's own ring (its buffer of records in shared memory). A plain load and
// store are enough, because no other thread writes that counter.
static inline void mt_tally(_Atomic uint64_t *counter) {
  atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_relaxed);
}

// Finds space for n records (1 or 2), publishes them together and wakes the drainer (the tracer's thread that sends
// records to the collector). Without space, they are counted as dropped.
static inline void mt_thread_publish(struct thread *t, const struct record *records, unsigned n) {
  if (!mt_thread_begin(t, n)) return;
  for (unsigned i = 0; i < n; i++)
    mt_record_put(mt_ring_slot(t->ring, t->head + i), records[i].begin, records[i].end, records[i].arg,
                  mt_record_rest(records[i].object, records[i].call, records[i].flags));
  mt_thread_move_head(t, t->ring, t->head + n);
  mt_thread_wake();
}
#endif
