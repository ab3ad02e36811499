// See blocking.h.
#include "waits/blocking.h"
#include <errno.h>
#include <string.h>
#include "core/text.h"
#include "stacks/stack.h"
#include "waits/descriptor.h"

_Atomic uint64_t mt_blocked_ticks;

// Returns MT_BLOCKED_NANOS in ticks, computed from the time since the library was loaded; UINT64_MAX if that time is
// still 0.
static uint64_t blocked_ticks(void) {
  uint64_t known = atomic_load_explicit(&mt_blocked_ticks, memory_order_relaxed);
  if (known) return known;
  struct mt_clock_sample now = mt_clock_sample();
  int64_t nanos = now.nanos - mt_clock_first.nanos;
  if (nanos <= 0) return UINT64_MAX;
  known = (uint64_t)((double)(now.ticks - mt_clock_first.ticks) / (double)nanos * MT_BLOCKED_NANOS);
  if (known) atomic_store_explicit(&mt_blocked_ticks, known, memory_order_relaxed);
  return known;
}

// Returns the calling thread's state if a wait was long enough to be recorded, otherwise NULL. Writes the thread's
// pending waits first, because records must be in the order of their ends. Also returns NULL in a signal handler that
// interrupted the thread while it wrote a record: two records would share a slot.
static struct thread *begin_record(uint64_t begin, uint64_t end, const void *frame) {
  if (end - begin < blocked_ticks()) return NULL;
  struct thread *t = mt_thread_get();
  if ((uintptr_t)t > (uintptr_t)MT_THREAD_GONE && t->writing) return NULL;
  t = mt_thread();
  if (!t) return NULL;
  mt_lock_write_down(t);
  mt_stack_late(frame, begin);
  return t;
}

static void publish_at(struct thread *t, unsigned call, uint64_t begin, uint64_t end, unsigned flags,
    const struct mt_descriptor *d, int fd) {
  struct record records[2] = {
      {.begin = begin, .end = end, .arg = d->process, .object = d->kind, .call = (uint16_t)call,
          .flags = (uint16_t)(MT_FLAG_HAS_MORE | flags)},
      {.begin = *d->name ? mt_text(t, d->name, strlen(d->name)) : 0, .end = d->inode,
          .arg = fd < 0 ? UINT64_MAX : (uint64_t)fd, .call = MT_CALL_tracer_more},
  };
  mt_thread_publish(t, records, 2);
}

void mt_blocked_on(unsigned call, uint64_t begin, int fd, const void *frame) {
  uint64_t end = mt_ticks();
  int saved = errno;
  struct thread *t = begin_record(begin, end, frame);
  if (t) {
    struct mt_descriptor d;
    mt_descriptor_of(t, fd, end, &d);
    publish_at(t, call, begin, end, 0, &d, fd);
  }
  errno = saved;
}

void mt_blocked_for(unsigned call, uint64_t begin, uint32_t kind, const void *frame) {
  uint64_t end = mt_ticks();
  int saved = errno;
  struct thread *t = begin_record(begin, end, frame);
  if (t) publish_at(t, call, begin, end, kind == MT_DESCRIPTOR_TIMEOUT ? MT_FLAG_FAILED : 0,
      &(struct mt_descriptor){.kind = kind}, -1);
  errno = saved;
}

void mt_blocked_in(unsigned call, uint64_t begin, const void *frame, const void *waiter) {
  uint64_t end = mt_ticks();
  int saved = errno;
  struct thread *t = begin_record(begin, end, frame);
  if (t) {
    struct record records[2] = {
        {.begin = begin, .end = end, .call = (uint16_t)call, .flags = MT_FLAG_HAS_MORE},
        {.begin = mt_lock_waiter_name(t, waiter), .call = MT_CALL_tracer_more},
    };
    mt_thread_publish(t, records, 2);
  }
  errno = saved;
}
