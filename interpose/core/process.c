// Starts the tracing of a process, in two steps. Rule: the constructor only says hello to the collector and hooks
// three initializers of Metal; shared memory and Go start at the first Metal call. So a process that never calls
// Metal only has an additional socket.
//
// The mutex protects the second step. A thread takes it only if its first Metal call comes before that step has
// finished.
#include "core/process.h"
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
#include "core/clock.h"
#include "core/feature.h"
#include "core/fork.h"
#include "core/identity.h"
#include "core/region.h"
#include "core/room.h"
#include "core/session.h"
#include "core/state.h"
#include "core/thread.h"
#include "system/doorbell.h"
#include "system/own.h"
#include "wire.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// Runs in a forked child whose parent had not called Metal. The mutex is reset, because another thread of the parent
// may have held it at the fork.
static void start_over(void) {
  pthread_mutex_init(&mutex, NULL);
  MT_FEATURES(fork_starts_over);
}

// Connects to the collector. Runs once: in the constructor, or earlier if another library's constructor, which the
// loader runs first, creates a Metal device.
static void load(void) {
  static _Atomic bool loaded;
  if (atomic_exchange(&loaded, true)) return;
  const char *path = getenv("MTRACE_SOCKET");
  if (!path || !*path) return;
  int saved = errno;
  mt_room_start();
  mt_clock_start();
  MT_FEATURES(load);
  if (mt_session_open(path, getenv(MT_TOKEN_VARIABLE))) {
    mt_fork_watch(start_over);
    MT_FEATURES(connected);
    atomic_store_explicit(&mt_state, MT_READY, memory_order_release);
  }
  errno = saved;
}

__attribute__((constructor)) static void loaded(void) { load(); }

// Sends the shared memory to the collector. If the first connection fails, it opens a new one: the collector may have
// closed the first because it considered this process dead.
static bool hand_over(int fd) { return mt_session_send_region(fd) ||
    (mt_session_reopen() && mt_session_send_region(fd)); }

// Creates everything that recording needs and sends the shared memory to the collector. Returns false on failure,
// with *why set to one line for the user.
static bool prepare(const char **why) {
  for (unsigned i = 0; i < mt_feature_count; i++)
    if (mt_features[i].prepare && (*why = mt_features[i].prepare())) return false;
  *why = "not traced: the collector could not be reached";
  if (!mt_session_alive() && !mt_session_reopen()) return false;
  int fd = mt_region_make(why);
  if (fd < 0) return false;
  *why = !mt_identity_start() ? "not traced: the table of Metal objects could not be allocated"
         : !mt_thread_start() ? "not traced: the program has used all pthread keys (pthread_key_create failed)"
         : !mt_doorbell_make() ? "not traced: the semaphore that wakes the tracer's thread could not be created"
         : !hand_over(fd) ? "not traced: the collector closed the connection"
                          : NULL;
  close(fd);
  return !*why;
}

static int begin(void) {
  const char *why;
  if (!prepare(&why)) {
    mt_session_warn_surely(MT_NOT_TRACED, why);
    return MT_FAILED;
  }
  MT_FEATURES(begin);
  return MT_ACTIVE;
}

bool mt_activate(void) {
  load();
  int state = atomic_load_explicit(&mt_state, memory_order_acquire);
  if (state != MT_READY) return state == MT_ACTIVE;
  int saved = errno;
  mt_own_lock(&mutex);
  state = atomic_load_explicit(&mt_state, memory_order_relaxed);
  if (state == MT_READY) {
    state = begin();
    atomic_store_explicit(&mt_state, state, memory_order_release);
  }
  mt_own_unlock(&mutex);
  errno = saved;
  return state == MT_ACTIVE;
}
