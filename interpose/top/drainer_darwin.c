// macOS: starts Go at the first Metal call. A process that never uses Metal must not get Go's threads and signal
// handlers (drainer_linux.c says why). Apple's linker cannot wrap the call by which Go starts, so Go's constructor is
// deferred: the build replaces Go's entry in __mod_init_func by go_start below (darwin/defergo.go). At the first
// Metal call Go starts on a thread that blocks the program's signals. Afterwards signal handlers and the limit on
// open files are restored.
//
// In a library that was linked without this replacement, go_start does nothing. Then Go starts at load, and its
// drainer waits here for the first Metal call. The handlers that Go installs (SIGSEGV and similar, SIGPIPE, SIGURG)
// stay until the program installs its own.
#include "top/drainer.h"
#include <dispatch/dispatch.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "top/gosignals.h"

static dispatch_semaphore_t active;
static pid_t active_in;
static struct rlimit files_before;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_active(void) {
  active = dispatch_semaphore_create(0);
  active_in = getpid();
}

// Saves the state that Go's start will change. It runs once, called by whichever constructor comes first: Go's own
// constructor may run at load before this library's.
static void remember(void) {
  getrlimit(RLIMIT_NOFILE, &files_before);
  make_active();
}

// The arguments in dyld's own array. A copy would not do: Go reads the environment and dyld's strings in the memory
// behind the arguments.
static int argument_count;
static char **arguments;

__attribute__((constructor)) static void load(int argc, char **argv) {
  argument_count = argc;
  arguments = argv;
  pthread_once(&once, remember);
}

static void nothing(int argc, char **argv) { (void)argc, (void)argv; }
__attribute__((used, section("__DATA,__mt_go"))) static void (*volatile go_start)(int argc, char **argv) = nothing;

static bool same(const struct sigaction *a, const struct sigaction *b) {
  return a->sa_sigaction == b->sa_sigaction && a->sa_flags == b->sa_flags && memcmp(&a->sa_mask, &b->sa_mask,
      sizeof a->sa_mask) == 0;
}

// Starts Go's runtime. The runtime installs signal handlers, which this function replaces by the program's again, and
// creates threads, which inherit the blocked signals. A runtime that cannot reserve its address space would end the
// process. Therefore it is not started if the address space is limited; the collector alone then reads the rings (the
// threads' buffers of records in shared memory).
static void start_go(void) {
  struct rlimit memory;
  if (getrlimit(RLIMIT_AS, &memory) == 0 && memory.rlim_cur != RLIM_INFINITY) return;
  struct sigaction before[NSIG], now;
  bool known[NSIG] = {false};
  sigset_t all, mine;
  for (int s = 1; s < NSIG; s++) known[s] = sigaction(s, NULL, &before[s]) == 0;
  mt_gosignals_block();
  getrlimit(RLIMIT_NOFILE, &files_before); // the program may have changed the limit since the library was loaded
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &mine);
  go_start(argument_count, arguments);
  for (int s = 1; s < NSIG; s++)
    if (known[s] && sigaction(s, NULL, &now) == 0 && !same(&now, &before[s])) sigaction(s, &before[s], NULL);
  pthread_sigmask(SIG_SETMASK, &mine, NULL);
}

// In the child of a fork the semaphore must be created anew. If the parent's drainer waits for it, the semaphore
// refers to a kernel port that the child does not have: libdispatch would end the child when it signals the
// semaphore.
void mt_drainer_start(void) {
  pthread_once(&once, remember);
  if (active_in != getpid()) make_active();
  start_go();
  dispatch_semaphore_signal(active);
}

int mt_drainer_ready(void) {
  pthread_once(&once, remember);
  struct rlimit now;
  if (getrlimit(RLIMIT_NOFILE, &now) == 0 && now.rlim_max == files_before.rlim_max &&
      now.rlim_cur != files_before.rlim_cur)
    setrlimit(RLIMIT_NOFILE, &files_before);
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  pthread_setname_np("mtrace");
  dispatch_semaphore_wait(active, DISPATCH_TIME_FOREVER);
  return 1;
}
