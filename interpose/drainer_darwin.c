// Go starts when the library is loaded: Apple's linker cannot wrap the call that drainer_linux.c puts off. The drainer waits here
// for the first Metal call, on a thread that takes none of the program's signals. The limit on open files is put back; a handler
// that Go installed for a signal of its own (SIGSEGV and its like, SIGPIPE, SIGURG) stays until the program installs its own.
#include "drainer.h"
#include <dispatch/dispatch.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>

static dispatch_semaphore_t active;
static struct rlimit files_before;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Go's own constructor stands before this one in the library, so its thread may be here first.
static void remember(void) {
  getrlimit(RLIMIT_NOFILE, &files_before);
  active = dispatch_semaphore_create(0);
}

__attribute__((constructor)) static void load(void) { pthread_once(&once, remember); }

void mt_drainer_start(void) {
  pthread_once(&once, remember);
  dispatch_semaphore_signal(active);
}

int mt_drainer_ready(void) {
  pthread_once(&once, remember);
  struct rlimit now;
  if (getrlimit(RLIMIT_NOFILE, &now) == 0 && now.rlim_max == files_before.rlim_max && now.rlim_cur != files_before.rlim_cur)
    setrlimit(RLIMIT_NOFILE, &files_before);
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  pthread_setname_np("mtrace");
  dispatch_semaphore_wait(active, DISPATCH_TIME_FOREVER);
  return 1;
}
