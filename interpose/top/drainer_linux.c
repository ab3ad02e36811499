// Linux: starts Go at the first Metal call. A c-shared Go library normally starts a thread when it is loaded,
// installs signal handlers and raises the limit on open files. A process that never uses Metal must not get any of
// that: Python warns when a process with threads forks, a handler is visible in /proc, and a limit is inherited.
// Rule: the Go runtime starts at the first Metal call, on a thread that blocks the program's signals; afterwards
// handlers and limits are restored.
//
// How: the part of the runtime that runs at load (libpreinit, runtime/asm_*.s) requests its thread by
// x_cgo_sys_thread_create. The linker replaces that function by the wrapper below (main.go), which stores the request
// until the first Metal call.
//
// A runtime that gets no thread ends the process. Therefore Go is not started if the user may have only few threads;
// otherwise its start waits until a thread can be created. Until then the collector alone reads the rings (the
// threads' buffers of records in shared memory).
#include "top/drainer.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "top/gosignals.h"
#include "core/region.h"
#include "system/own.h"

enum { SIGNALS = 64 };

// The kernel's own struct sigaction, which differs from the C library's. It is saved and restored by system calls, so
// that nothing in it changes.
struct kernel_action {
  unsigned long words[4];
};
static struct kernel_action before[SIGNALS + 1];
static struct rlimit files_before;
static void *(*go_entry)(void *);
static void *go_argument;

static long action(int signal, const struct kernel_action *new, struct kernel_action *old) {
    return syscall(SYS_rt_sigaction, signal, new, old, 8); }

// Saves the program's signal handlers. Go's own constructor changes them; it has no priority, so a constructor with
// priority 101 runs before it.
__attribute__((constructor(101))) static void remember_handlers(void) {
  for (int s = 1; s <= SIGNALS; s++) action(s, NULL, &before[s]);
}

void __wrap_x_cgo_sys_thread_create(void *(*entry)(void *), void *argument) {
  go_entry = entry;
  go_argument = argument;
  for (int s = 1; s <= SIGNALS; s++) {
    struct kernel_action now;
    if (action(s, NULL, &now) == 0 && memcmp(&now, &before[s], sizeof now) != 0) action(s, &before[s], NULL);
  }
}

// Declared weak, because tests link this file without the Go runtime.
__attribute__((weak)) int __real__cgo_try_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
    void *(*entry)(void *), void *argument);

// Replaces a function of Go's runtime that tries to create a thread for 210 ms only; the runtime ends the process
// when it fails. This one retries as long as the system lacks threads.
int __wrap__cgo_try_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*entry)(void *),
    void *argument) {
  int failed;
  while ((failed = __real__cgo_try_pthread_create(thread, attributes, entry, argument)) == EAGAIN) mt_own_nanosleep(
      &(struct timespec){0, 500000000}, NULL);
  return failed;
}

// Go is not started if the user's limit on threads is below this: its runtime has up to six threads, and the program
// could then lack threads of its own.
enum { FEWEST_THREADS = 64 };

void mt_drainer_start(void) {
  struct rlimit memory, threads;
  if (getrlimit(RLIMIT_NPROC, &threads) == 0 && threads.rlim_cur < FEWEST_THREADS) return;
  // Do not start Go where the address space is limited: a runtime that cannot reserve its address space ends the
  // process.
  if (!go_entry || (getrlimit(RLIMIT_AS, &memory) == 0 && memory.rlim_cur != RLIM_INFINITY)) return;
  mt_gosignals_block();
  getrlimit(RLIMIT_NOFILE, &files_before);
  sigset_t all, mine;
  sigfillset(&all);
  pthread_attr_t detached;
  pthread_t thread;
  if (pthread_attr_init(&detached) != 0) return;
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_sigmask(SIG_SETMASK, &all, &mine);
  // if no thread can be created, the collector alone reads the rings
  pthread_create(&thread, &detached, go_entry, go_argument);
  pthread_sigmask(SIG_SETMASK, &mine, NULL);
  pthread_attr_destroy(&detached);
}

int mt_drainer_ready(void) {
  if (!mt_region) return 0; // a test of this package: a Go program, which started the runtime itself
  struct rlimit now;
  if (getrlimit(RLIMIT_NOFILE, &now) == 0 && now.rlim_max == files_before.rlim_max &&
      now.rlim_cur != files_before.rlim_cur)
    setrlimit(RLIMIT_NOFILE, &files_before);
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  pthread_setname_np(pthread_self(), "mtrace");
  return 1;
}
