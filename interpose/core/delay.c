// Delays threads for an experiment (delay.h). Memory order: the table of delays in the shared memory is a seqlock with
// one writer, the collector. A thread reads the sequence, then the table, then the sequence again, and delays nothing
// if the sequence has changed. The acquire load and the fence keep the table's loads between the two loads of the
// sequence.
#include "core/delay.h"
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include "system/own.h"

// How many nanoseconds too late an idle system may wake a sleeping thread. Delays sleep that much less and spin for
// the remaining time.
enum { WAKES_LATE = MT_DELAY_SHORTEST_SLEEP / 2 };

struct table {
  uint64_t length, until, lock;
  bool has_call;
};

static bool read_table(struct table *copy, unsigned call) {
  struct region *region = mt_region;
  uint32_t sequence = atomic_load_explicit(&region->delay_sequence, memory_order_acquire);
  if (sequence == 0 || sequence & 1) return false;
  copy->length = atomic_load_explicit(&region->delay_length, memory_order_relaxed);
  copy->until = atomic_load_explicit(&region->delay_until, memory_order_relaxed);
  copy->lock = atomic_load_explicit(&region->delay_lock, memory_order_relaxed);
  uint64_t calls = atomic_load_explicit(&region->delay_calls[call / 64], memory_order_relaxed);
  copy->has_call = calls >> call % 64 & 1;
  atomic_thread_fence(memory_order_acquire);
  return atomic_load_explicit(&region->delay_sequence, memory_order_relaxed) == sequence;
}

static void count_up(_Atomic uint64_t *counter, uint64_t n) {
  atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n, memory_order_relaxed);
}

static inline void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");
#endif
}

static void sleep_for(uint64_t nanos) {
  int cancel;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  struct timespec time = {(time_t)(nanos / 1000000000), (long)(nanos % 1000000000)};
  mt_own_nanosleep(&time, NULL); // a signal may end the sleep early: the rest is spun
  pthread_setcancelstate(cancel, &cancel);
}

// Waits for nanos nanoseconds and returns how long it really waited. If `sleeps` is set, the thread sleeps for most of
// a long delay, so that other threads can use its processor. It spins at the end, so that the delay is exact.
static uint64_t pass(uint64_t nanos, bool sleeps) {
  uint64_t begin = mt_nanos(), now = begin;
  if (sleeps && nanos >= MT_DELAY_SHORTEST_SLEEP) sleep_for(nanos - WAKES_LATE);
  while ((now = mt_nanos()) - begin < nanos) relax();
  return now - begin;
}

static bool tracers_own(const struct thread *t) { return t->delaying || t->canary || t->own_work; }

// Injects the experiment's delay once: delays this thread or, with MT_DELAY_OTHERS, all other threads. Counts the
// delay in this thread's ring (its buffer of records in shared memory).
static void occur(struct thread *t, const struct table *table) {
  int saved = errno;
  t->delaying = true;
  atomic_signal_fence(memory_order_seq_cst);
  if (mt_nanos() < table->until) {
    count_up(&t->ring->delayed, 1);
    if (mt_delays(t) & MT_DELAY_OTHERS) { // the other threads have to pause; this thread counts as having paused
      atomic_fetch_add_explicit(&mt_region->delay_due, table->length, memory_order_relaxed);
      if (mt_delays(t) & MT_DELAY_ITSELF) {
        uint64_t passed = pass(table->length, true);
        count_up(&t->ring->injected, passed);
      }
      count_up(&t->ring->paid, table->length);
    } else if (table->length) {
      count_up(&t->ring->injected, pass(table->length, mt_delays(t) & MT_DELAY_SLEEPS));
    }
  }
  atomic_signal_fence(memory_order_seq_cst);
  t->delaying = false;
  errno = saved;
}

void mt_delay_pause(struct thread *t) {
  if (!(mt_delays(t) & MT_DELAY_PAUSES) || tracers_own(t)) return;
  uint64_t due = atomic_load_explicit(&mt_region->delay_due, memory_order_relaxed);
  uint64_t paid = atomic_load_explicit(&t->ring->paid, memory_order_relaxed);
  struct table table;
  if ((int64_t)(due - paid) <= 0 || !read_table(&table, 0)) return;
  int saved = errno;
  t->delaying = true;
  atomic_signal_fence(memory_order_seq_cst);
  if (mt_nanos() < table.until) {
    uint64_t passed = pass(due - paid, true);
    count_up(&t->ring->injected, passed);
    count_up(&t->ring->paid, passed);
  }
  atomic_signal_fence(memory_order_seq_cst);
  t->delaying = false;
  errno = saved;
}

void mt_delay_woken(struct thread *t) {
  if (!(mt_delays(t) & MT_DELAY_PAUSES)) return;
  uint64_t due = atomic_load_explicit(&mt_region->delay_due, memory_order_relaxed);
  if ((int64_t)(due - atomic_load_explicit(&t->ring->paid, memory_order_relaxed)) > 0)
    atomic_store_explicit(&t->ring->paid, due, memory_order_relaxed);
}

static void delay_call(struct thread *t, unsigned kind, unsigned call) {
  struct table table;
  if (!(mt_delays(t) & kind) || tracers_own(t) || !read_table(&table, call) || !table.has_call) return;
  occur(t, &table);
}

void mt_delay_own(struct thread *t, unsigned call) {
  mt_delay_pause(t);
  if (atomic_load_explicit(&t->ring->current, memory_order_relaxed) == 0) delay_call(t, MT_DELAY_OWN, call);
}

void mt_delay_call(struct thread *t, unsigned call) { delay_call(t, MT_DELAY_CALLS, call); }

void mt_delay_wait(struct thread *t, unsigned call) {
  delay_call(t, MT_DELAY_WAITS, call);
  mt_delay_pause(t);
}

void mt_delay_lock(struct thread *t, const void *lock) {
  mt_delay_pause(t);
  struct table table;
  if (!(mt_delays(t) & MT_DELAY_LOCK) || tracers_own(t) || !read_table(&table, 0)) return;
  if (table.lock == (uintptr_t)lock) occur(t, &table);
}

void mt_delay_handler(struct thread *t) {
  struct table table;
  if (!(mt_delays(t) & MT_DELAY_HANDLERS) || tracers_own(t) || !read_table(&table, 0)) return;
  occur(t, &table);
}

void mt_delay_unit(struct thread *t, uint64_t ticks, uint64_t name) {
  if (atomic_load_explicit(&mt_region->progress, memory_order_relaxed) != name) return;
  atomic_store_explicit(&t->ring->unit_at, ticks, memory_order_relaxed);
  count_up(&t->ring->units, 1);
}

void mt_delay_open(struct thread *t) {
  uint64_t due = atomic_load_explicit(&mt_region->delay_due, memory_order_relaxed);
  atomic_store_explicit(&t->ring->paid, due, memory_order_relaxed);
  atomic_store_explicit(&t->ring->delays, atomic_load_explicit(&mt_region->delay_kinds, memory_order_relaxed),
      memory_order_relaxed);
}
