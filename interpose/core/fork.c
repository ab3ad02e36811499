// What the child of a fork does if it does not call exec. If the parent had not used Metal, it had only a socket: the
// child opens a socket of its own at its first Metal call. So each process of a pool of forked workers is traced. If
// the parent was recording, the child runs untraced, because it shares the parent's rings.
#include "core/fork.h"
#include <pthread.h>
#include "core/feature.h"
#include "core/region.h"
#include "core/session.h"
#include "core/state.h"
#include "core/thread.h"

static void (*child_starts_over)(void);

static void fork_begins(void) { MT_FEATURES(fork_begins); }
static void fork_over(void) { MT_FEATURES(fork_over); }

static void in_child(void) {
  fork_over();
  mt_session_forget();
  mt_state_forked();
  // If mt_region is set although the state is still READY, another thread of the parent was starting the recording at
  // the fork. That thread does not exist in the child, so the start would never be finished: the child runs untraced.
  if (atomic_load_explicit(&mt_state, memory_order_relaxed) == MT_READY && !mt_region) {
    child_starts_over();
    return;
  }
  mt_thread_forget();
  atomic_store_explicit(&mt_state, MT_FORKED, memory_order_relaxed);
}

void mt_fork_watch(void (*start_over)(void)) {
  child_starts_over = start_over;
  pthread_atfork(fork_begins, fork_over, in_child);
}
