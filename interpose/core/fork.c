// What the child of a fork does. A parent that had not used Metal yet had only a socket: its child opens its own at its first
// Metal call, so a pool of forked workers is traced. A parent that was recording leaves a child that passes through untraced.
#include "core/fork.h"
#include <pthread.h>
#include <stdbool.h>
#include "stacks/images.h"
#include "core/process.h"
#include "core/region.h"
#include "core/session.h"
#include "stacks/stack.h"
#include "core/thread.h"

static _Atomic bool counted;

// Kept while a child is made: see images.h.
static void before(void) {
  if (mt_stacks) mt_images_hold();
}
static void after(void) {
  if (mt_stacks) mt_images_release();
}

static void in_child(void) {
  after();
  mt_session_forget();
  atomic_store_explicit(&counted, false, memory_order_relaxed);
  // A region without the active state: another thread was in the middle of the first Metal call, and is not here.
  if (atomic_load_explicit(&mt_state, memory_order_relaxed) == MT_READY && !mt_region) {
    mt_process_reset();
    return;
  }
  mt_thread_forget();
  atomic_store_explicit(&mt_state, MT_FORKED, memory_order_relaxed);
}

void mt_fork_watch(void) { pthread_atfork(before, after, in_child); }

void mt_fork_count_once(void) {
  if (mt_region && !atomic_exchange_explicit(&counted, true, memory_order_relaxed)) mt_count(&mt_region->forks);
}
