// How a thread takes a ring (a buffer for records), fills it and releases it. Rule: a thread takes a ring by
// compare-and-swap of the ring's state, and only after everything that the previous thread wrote was read. The new
// thread's first record is a ThreadStart, and positions never go back. So the collector never takes one thread's
// records for another's.
#include "core/thread.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include "core/clock.h"
#include "core/feature.h"
#include "core/room.h"
#include "core/text.h"

#ifdef __linux__
_Thread_local struct thread *mt_thread_pointer __attribute__((tls_model("initial-exec")));
static pthread_key_t mt_thread_key;
#else
pthread_key_t mt_thread_key;
bool mt_thread_key_made;
#endif

static struct thread threads[MT_RING_COUNT]; // by ring; pages never touched take no memory

// The memory of a ring (a thread's buffer of records) consists of chunks of slots. This list has the ring's chunks that
// can be reused; it stays with the ring when another thread takes the ring. Positions in it count whole chunks, not
// records. The chunk that was freed last is reused first, so a ring that is read often touches only the pages of a few
// chunks.
//
// Rule: a chunk is reused only after all of its records were read. The latest MT_CHUNK_RECORDS records therefore
// always exist; polls.c reads them again.
static struct chunks {
  uint64_t next;      // the first position that has no chunk yet
  uint64_t oldest;    // the first position whose chunk was not freed
  uint64_t rang;      // the head (in records) when the doorbell was rung
  unsigned used;      // chunks that were ever used: those with the lowest numbers
  unsigned free;      // elements of freed
  uint8_t freed[MT_CHUNKS_PER_RING];
} chunks[MT_RING_COUNT];
static _Atomic int busy;                     // rings taken and not released

// Reports the thread's name again when it ends: many programs name a thread only after its first Metal call.
static void say_name(struct thread *t) {
  char name[64] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  mt_fact(t, MT_FACT_THREAD_NAME, 0, atomic_load_explicit(&t->ring->thread, memory_order_relaxed), name, strlen(name));
}

// The destructor of the thread's pthread key: releases the ring (the thread's buffer of records) of an exiting
// thread. Destructors of other keys may still use Metal afterwards, for example when they drain autorelease pools. So
// this destructor asks to be called again, and releases the ring only in the third of the four rounds that POSIX
// guarantees; otherwise the calls of other destructors would not be recorded.
static void leave(void *value) {
  struct thread *t = value;
  if (t == MT_THREAD_GONE) {
    // On macOS the key itself holds the thread's pointer, and the system has just cleared it. Set it again, or the
    // thread would take a second ring at its next call and never release it.
    mt_thread_set(t);
    return;
  }
  if (atomic_load_explicit(&mt_state, memory_order_relaxed) != MT_ACTIVE) return;
  if (++t->exits < 3) {
    if (t->exits == 1) say_name(t);
    pthread_setspecific(mt_thread_key, t);
    return;
  }
  MT_FEATURES(thread_left, t);
  if (t->held) t->owed(t);
  mt_thread_set(MT_THREAD_GONE);
  atomic_store_explicit(&t->ring->current, 0, memory_order_relaxed);
  atomic_store_explicit(&t->ring->state, MT_RING_EXITED, memory_order_release);
  // If many rings (buffers of records) are in use, wake the drainer (the tracer's thread that sends records to the
  // collector) to empty this one. Otherwise short-lived threads could use up all rings before the drainer's next
  // round.
  if (atomic_fetch_sub_explicit(&busy, 1, memory_order_relaxed) > 0 &&
      atomic_load_explicit(&mt_region->rings_used, memory_order_relaxed) > MT_RING_COUNT / 4)
    mt_doorbell_ring();
}

bool mt_thread_start(void) {
  if (pthread_key_create(&mt_thread_key, leave) != 0) return false;
#ifndef __linux__
  mt_thread_key_made = true;
#endif
  return true;
}

uint64_t mt_thread_id(void) {
#ifdef __APPLE__
  uint64_t id = 0;
  pthread_threadid_np(NULL, &id);
  return id;
#else
  return (uint64_t)syscall(SYS_gettid);
#endif
}

static bool take(struct ring *ring) {
  uint32_t state = atomic_load_explicit(&ring->state, memory_order_acquire);
  if (state == MT_RING_LIVE) return false;
  if (state == MT_RING_EXITED && (atomic_load_explicit(&ring->tail, memory_order_acquire) != atomic_load_explicit(
      &ring->head, memory_order_relaxed) ||
                                  atomic_load_explicit(&ring->facts_tail, memory_order_acquire) != atomic_load_explicit(
                                      &ring->facts_head, memory_order_relaxed)))
    return false;
  return atomic_compare_exchange_strong_explicit(&ring->state, &state, MT_RING_LIVE, memory_order_acq_rel,
      memory_order_relaxed);
}

static int take_any(void) {
  if (atomic_load_explicit(&busy, memory_order_relaxed) >= MT_RING_COUNT) return -1;
  for (int i = 0; i < MT_RING_COUNT; i++) {
    if (!take(&mt_region->rings[i])) continue;
    atomic_fetch_add_explicit(&busy, 1, memory_order_relaxed);
    uint32_t used = atomic_load_explicit(&mt_region->rings_used, memory_order_relaxed);
    while (used < (uint32_t)i + 1 && !atomic_compare_exchange_weak_explicit(&mt_region->rings_used, &used, (uint32_t)i +
        1, memory_order_release, memory_order_relaxed)) {
    }
    return i;
  }
  return -1;
}

struct thread *mt_thread_open(struct thread *now) {
  int state = atomic_load_explicit(&mt_state, memory_order_acquire);
  if (state == MT_FORKED) mt_state_count_fork();
  if (state != MT_ACTIVE) return NULL;
  if (now == MT_THREAD_GONE) {
    mt_count(&mt_region->rejected);
    return NULL;
  }
  int saved = errno;
  int i = take_any();
  if (i < 0) {
    mt_count(&mt_region->unringed);
    mt_doorbell_ring();
    errno = saved;
    return NULL;
  }
  struct thread *t = &threads[i];
  uint32_t next_number = t->next_number, last_number = t->last_number;
  memset(t, 0, sizeof *t);
  t->next_number = next_number;
  t->last_number = last_number;
  t->index = (unsigned)i;
  t->ring = &mt_region->rings[i];
  t->head = atomic_load_explicit(&t->ring->head, memory_order_relaxed);
  t->look_again = t->head;
  t->stuck = t->facts_stuck = UINT64_MAX;
  uint64_t tid = mt_thread_id();
  atomic_store_explicit(&t->ring->thread, tid, memory_order_relaxed);
  MT_FEATURES(thread_opening, t);
  mt_thread_set(t);
  pthread_setspecific(mt_thread_key, t);

  char name[64] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  uint64_t ticks = mt_ticks();
  struct record start[2] = {
      {.begin = ticks, .end = ticks, .arg = tid, .call = MT_CALL_tracer_thread_start, .flags = MT_FLAG_HAS_MORE},
      {.begin = mt_text(t, name, strlen(name)), .call = MT_CALL_tracer_more},
  };
  mt_thread_publish(t, start, 2);
  MT_FEATURES(thread_opened, t);
  errno = saved;
  return t;
}

static uint8_t chunk_of(struct ring *ring, uint64_t n) {
  uint64_t i = n % MT_CHUNKS_PER_RING;
  return (uint8_t)(i ^ atomic_load_explicit(&ring->chunks[i], memory_order_relaxed));
}

// Assigns a chunk of slots to every position before `end` that has none yet. `end` is at most `tail` plus the ring's
// capacity. A signal handler that interrupts it records nothing, because the choice is not finished.
static void choose_chunks(struct thread *t, uint64_t tail, uint64_t end) {
  struct chunks *c = &chunks[t->index];
  bool outer = t->writing;
  mt_thread_write(t);
  for (; c->next * MT_CHUNK_RECORDS < end; c->next++) {
    for (; c->oldest < tail / MT_CHUNK_RECORDS && c->oldest < c->next; c->oldest++)
      c->freed[c->free++] = chunk_of(t->ring, c->oldest);
    unsigned chunk = c->free > 0 ? c->freed[--c->free] : c->used++;
    uint64_t i = c->next % MT_CHUNKS_PER_RING;
    atomic_store_explicit(&t->ring->chunks[i], (uint8_t)(chunk ^ i), memory_order_relaxed);
  }
  t->look_again = c->next * MT_CHUNK_RECORDS;
  atomic_signal_fence(memory_order_seq_cst);
  t->writing = outer;
}

// Returns the first position for which a ring (a thread's buffer of records) has no space.
static uint64_t full_at(uint64_t tail) { return tail - tail % MT_CHUNK_RECORDS + MT_RECORDS_PER_RING; }

bool mt_thread_make_room(struct thread *t, unsigned n) {
  if (t->canary) return false;
  if (t->held) {
    t->owed(t);
    if (t->head + n <= t->look_again) return true;
  }
  int saved = errno;
  uint64_t tail = atomic_load_explicit(&t->ring->tail, memory_order_acquire), end = t->head + n, used = end - tail;
  bool room = end <= full_at(tail);
  uint64_t wanted = (end - MT_RECORDS_PER_RING + MT_CHUNK_RECORDS - 1) / MT_CHUNK_RECORDS * MT_CHUNK_RECORDS;
  if (!room && mt_room_wait(&t->ring->tail, wanted, &t->stuck)) {
    tail = atomic_load_explicit(&t->ring->tail, memory_order_acquire);
    room = true;
  }
  if (!room) {
    atomic_store_explicit(&t->ring->dropped, atomic_load_explicit(&t->ring->dropped, memory_order_relaxed) + n,
        memory_order_relaxed);
  } else {
    choose_chunks(t, tail, end);
  }
  uint64_t *rang = &chunks[t->index].rang;
  if (used >= MT_RECORDS_PER_RING / 4 && (!room || t->head - *rang >= MT_RECORDS_PER_RING / 8)) {
    *rang = t->head;
    mt_doorbell_ring();
  }
  errno = saved;
  return room;
}

void mt_thread_forget(void) { mt_thread_set(NULL); }
