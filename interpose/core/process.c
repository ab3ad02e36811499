// From loaded to tracing. Rule: the constructor only says hello and hooks three initializers of Metal's; shared memory and Go wait for the first
// Metal call, so a process that never makes one stays as it was but for a socket.
//
// Memory order: mt_state is stored with release after all that it promises exists, and loaded with acquire by mt_activate, which
// every thread passes before its first record. The mutex is only taken by threads that come before the state is known.
#include "core/process.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "hook/base.h"
#include "hook/canary.h"
#include "core/clock.h"
#include "features/completion.h"
#include "system/doorbell.h"
#include "top/drainer.h"
#include "features/early.h"
#include "core/fork.h"
#include "core/identity.h"
#include "hook/interpose.h"
#include "waits/locks.h"
#include "hook/objc.h"
#include "stacks/python.h"
#include "stacks/images.h"
#include "core/region.h"
#include "core/room.h"
#include "features/sampling.h"
#include "core/session.h"
#include "hook/skip.h"
#include "stacks/stack.h"
#include "core/text.h"
#include "core/thread.h"

_Atomic int mt_state = MT_OFF;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// Once: by the constructor or, when the constructor of a library that the program links runs before and makes a device, then.
static void load(void) {
  static _Atomic bool loaded;
  if (atomic_exchange(&loaded, true)) return;
  const char *path = getenv("MTRACE_SOCKET");
  if (!path || !*path) return;
  int saved = errno;
  mt_room_start();
  mt_stack_start();
  const char *gpu_timing = getenv("MTRACE_GPU_TIMING");
  mt_sampling_on = gpu_timing && strcmp(gpu_timing, "encoder") == 0;
  mt_clock_start();
  mt_canary_start();
  mt_skip_start();
  if (mt_session_open(path)) {
    mt_fork_watch();
    mt_base_hook();
    atomic_store_explicit(&mt_state, MT_READY, memory_order_release);
  }
  errno = saved;
}

__attribute__((constructor)) static void loaded(void) { load(); }

// A device may have been made by a function that nobody replaces, or inside a framework of Apple's: then not one call is seen.
__attribute__((destructor)) static void unloaded(void) {
  if (atomic_load_explicit(&mt_state, memory_order_acquire) != MT_READY || !mt_driver_loaded()) return;
  mt_session_warn(MT_UNSEEN_DEVICE, "a Metal device was made by a function or framework that the tracer does not replace: nothing done with it is recorded");
}

// What stacks are read by. Now, and not only when the drainer comes to it: a program that ends soon has it said, too.
static void say_what_runs(void) {
  size_t length;
  const void *images;
  mt_images_start();
  while (images = mt_images_new(&length), length > 0) mt_session_facts(images, length);
  if (mt_stacks & MT_STACKS_PYTHON && mt_python_unknown()) mt_session_warn(0, mt_python_unknown());
}

// The collector may have ended a connection whose program it took for gone.
static bool hand_over(int fd) { return mt_session_send_region(fd) || (mt_session_reopen() && mt_session_send_region(fd)); }

// Makes what recording needs and hands it to the collector. False with *why set to one line for the user.
static bool prepare(const char **why) {
  *why = "not traced: the Objective-C runtime is none that the tracer knows";
  if (!mt_objc_resolve()) return false;
  *why = "not traced: the collector could not be reached";
  if (!mt_session_alive() && !mt_session_reopen()) return false;
  int fd = mt_region_make(why);
  if (fd < 0) return false;
  *why = !mt_identity_start() ? "not traced: there was no memory for the numbers of objects"
         : !mt_thread_start() ? "not traced: the program has used up the keys for thread-specific data"
         : !mt_doorbell_make() ? "not traced: no semaphore could be made"
         : !hand_over(fd) ? "not traced: the collector ended the connection"
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
  mt_completion_start();
  mt_python_find();
  mt_early_count();
  if (mt_stacks) say_what_runs();
  mt_drainer_start();
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

void mt_process_reset(void) {
  pthread_mutex_init(&mutex, NULL);
  mt_early_forget();
}
