// See polls.h.
#include "features/polls.h"
#include <errno.h>
#include <string.h>
#include "core/clock.h"
#include "core/identity.h"
#include "stacks/stack.h"
#include "waits/locks.h"

// POLLED is the number of objects that one thread can poll at the same time; a further object replaces the one whose
// polling began first. BETWEEN is the maximum number of records between two polls: a loop that writes more does
// other work, too, and is not waiting.
enum { POLLED = 4, BETWEEN = 64 };

struct poll {
  const void *object; // the polled object; NULL: this entry is free
  unsigned call;
  uint64_t value;     // the value that all polls have returned so far
  uint64_t first, last; // ticks of the first and the last poll that returned it
  uint64_t paused;    // ticks of the thread's recorded pauses between these polls
  uint64_t count;
  uint64_t head;      // the head of the thread's ring (its buffer of records) at the last poll
};

static struct polls {
  struct poll all[POLLED];
  uint64_t reported; // end of the thread's last recorded wait; the next one begins after it
} __attribute__((aligned(128))) polls[MT_THREADS];

void mt_poll_open(struct thread *t) {
  memset(&polls[t->index], 0, sizeof polls[t->index]);
  atomic_store_explicit(&t->ring->polled, 0, memory_order_relaxed);
}

struct thread *mt_poll_enter(unsigned family, uintptr_t frame) {
  struct thread *t = mt_thread();
  if (!t || t->own_work || t->canary || t->writing) return NULL;
  struct inside *inside = &t->inside[family];
  if (inside->frame != 0 && frame < inside->frame) return NULL;
  inside->frame = frame;
  return t;
}

// Returns true if a record between two polls shows no activity of the thread, so that the polling continues.
static bool is_aside(const struct record *r) {
  switch (r->call) {
  case MT_CALL_tracer_more:
  case MT_CALL_tracer_stack:
  case MT_CALL_commandBuffer_status: // a poll of another object
  case MT_CALL_event_signaledValue:
    return true;
  }
  return false;
}

// Returns whether a record is a pause that a polling loop makes: a sleep, a timeout, or a lock that Python
// reacquires.
static bool is_pause(const struct record *r) {
  switch (r->call) {
  case MT_CALL_signal_nanosleep:
  case MT_CALL_signal_clock_nanosleep:
  case MT_CALL_signal_usleep:
  case MT_CALL_signal_sleep:
  case MT_CALL_lock_pthread_mutex_lock:
  case MT_CALL_lock_pthread_cond_wait:
  case MT_CALL_lock_pthread_cond_timedwait:
    return true;
  case MT_CALL_signal_poll:
  case MT_CALL_signal_ppoll:
  case MT_CALL_signal_select:
  case MT_CALL_signal_pselect:
  case MT_CALL_signal_kevent:
  case MT_CALL_signal_pthread_cond_timedwait:
  case MT_CALL_signal_pthread_cond_clockwait:
    return (r->flags & MT_FLAG_FAILED) != 0; // a timeout
  }
  return false;
}

// Returns whether the thread has done nothing but pause since the last poll, according to its records. Adds the time
// of the pauses to p->paused.
static bool only_paused(struct thread *t, struct poll *p) {
  uint64_t head = t->head;
  if (head == p->head) return true;
  if (head - p->head > BETWEEN) return false;
  for (uint64_t i = p->head; i < head; i++) {
    const struct record *r = mt_ring_slot(t->ring, i);
    if (is_aside(r)) continue;
    if (!is_pause(r)) return false;
    p->paused += r->end - r->begin;
  }
  return true;
}

// Shows the collector, in the header of the thread's ring (its buffer of records in shared memory), that the thread is
// polling. Memory order: the field polled is cleared first. Then the fields that describe the new polling loop are
// written, and polled is stored last, with release. Otherwise the collector could combine fields of two loops.
static void show_poll(struct thread *t, const struct poll *p) {
  struct ring *ring = t->ring;
  uint64_t owner = mt_record_rest(mt_identity_of(p->object), p->call, 0);
  if (atomic_load_explicit(&ring->polled, memory_order_relaxed) != owner ||
      atomic_load_explicit(&ring->polled_begin, memory_order_relaxed) != p->first) {
    atomic_store_explicit(&ring->polled, 0, memory_order_seq_cst);
    atomic_store_explicit(&ring->polled_begin, p->first, memory_order_relaxed);
    atomic_store_explicit(&ring->polled_answer, p->value, memory_order_relaxed);
  }
  atomic_store_explicit(&ring->polled_last, p->last, memory_order_relaxed);
  atomic_store_explicit(&ring->polled_count, p->count, memory_order_relaxed);
  atomic_store_explicit(&ring->polled, owner, memory_order_release);
}

// The loop is over.
static void hide_poll(struct thread *t) { atomic_store_explicit(&t->ring->polled, 0, memory_order_release); }

static void begin_poll(struct thread *t, struct poll *p, const void *object, unsigned call, uint64_t value,
    uint64_t now) {
  *p = (struct poll){.object = object, .call = call, .value = value, .first = now, .last = now, .count = 1,
      .head = t->head};
}

// Returns the entry of this thread for polls of an object by a call. If there is none, returns a free entry or, if
// none is free, the entry whose polling began first.
static struct poll *place_of(struct thread *t, const void *object, unsigned call) {
  struct poll *oldest = polls[t->index].all;
  for (struct poll *p = polls[t->index].all; p < polls[t->index].all + POLLED; p++) {
    if (p->object == object && p->call == call) return p;
    if (oldest->object && (!p->object || p->first < oldest->first)) oldest = p;
  }
  return oldest;
}

// Returns the nanoseconds per tick, computed from the time since the library was loaded.
static double nanos_per_tick(void) {
  struct mt_clock_sample now = mt_clock_sample();
  uint64_t ticks = now.ticks - mt_clock_first.ticks;
  return ticks ? (double)(now.nanos - mt_clock_first.nanos) / (double)ticks : 1;
}

// Called when a polled value has changed. Writes one record of a wait, from the thread's first poll to this one, unless
// the thread worked too much in between. The wait begins after the end of the thread's last recorded wait, so that two
// waits never overlap.
static void end_poll(struct thread *t, struct poll *p, unsigned flags, uint64_t value, uint64_t now,
    const void *frame) {
  struct polls *all = &polls[t->index];
  uint64_t first = p->first > all->reported ? p->first : all->reported;
  uint64_t waited = now - p->first, worked = waited > p->paused ? waited - p->paused : 0;
  if ((double)worked * nanos_per_tick() > (double)MT_POLL_WORK_NANOS * (double)p->count) return;
  mt_lock_write_down(t);
  mt_stack_late(frame, first);
  struct record records[2] = {
      {.begin = first, .end = now, .arg = value, .object = mt_identity_of(p->object), .call = (uint16_t)p->call,
          .flags = (uint16_t)(MT_FLAG_HAS_MORE | flags)},
      {.begin = p->count + 1, .end = now - p->last, .call = MT_CALL_tracer_more},
  };
  mt_thread_publish(t, records, 2);
  all->reported = now;
}

void mt_poll_answered(struct thread *t, unsigned family, unsigned call, unsigned flags, id self, uint64_t value,
    bool over, const void *frame) {
  t->inside[family].frame = 0;
  struct poll *p = place_of(t, self, call);
  bool asked = p->object == self && p->call == call;
  if (over && !asked) return; // the usual case: the program polls once, after it has waited
  int saved = errno;
  uint64_t now = mt_ticks();
  bool paused = asked && only_paused(t, p);
  // for a command buffer's status only completion ends the wait, not a change to scheduled or committed
  bool changed = call == MT_CALL_commandBuffer_status ? over : asked && value != p->value;
  if (paused && changed) end_poll(t, p, flags, value, now, frame);
  if (over) {
    p->object = NULL;
    hide_poll(t);
  } else if (paused && !changed) {
    p->last = now;
    p->count++;
    p->head = t->head;
    show_poll(t, p);
  } else {
    begin_poll(t, p, self, call, value, now);
    hide_poll(t);
  }
  errno = saved;
}
