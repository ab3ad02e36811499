// Go's runtime in a c-shared library, as far as the process notices its start: handlers, the limit on open files, a thread. Rule, of Go's
// runtime/signal_unix.go, os/rlimit.go and runtime/asm_*.s: handlers are installed, and the limit raised, before or after the first goroutine
// runs; the thread inherits the mask of whoever starts it. The drainer is the one in C (../../../testdata/drainer.c).
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include "fakes.h"

_Atomic int mac_go_started;

static void handler(int signal) { (void)signal; }

static void *(*go_entry)(void *);
static void *go_argument;

static void start(int argc, char **argv) {
  if (argc < 1 || !argv || !argv[0]) abort(); // Go reads what lies behind them
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK | SA_RESTART};
  sigfillset(&action.sa_mask);
  for (int s = 1; s < NSIG; s++)
    if (s != SIGKILL && s != SIGSTOP && s != SIGABRT && s != SIGSEGV) sigaction(s, &action, NULL);
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  pthread_t thread;
  if (pthread_create(&thread, NULL, go_entry, go_argument) != 0) abort();
  pthread_detach(thread);
  mac_go_started++;
}

// The slot of drainer_darwin.c, which interpose/darwin/defergo.go fills in the file.
typedef void (*start_function)(int, char **);
extern start_function __start_mac_go[], __stop_mac_go[];

// The drainer's constructor calls this, as the load-time part of Go's runtime does on Linux.
void __wrap_x_cgo_sys_thread_create(void *(*entry)(void *), void *argument) {
  go_entry = entry, go_argument = argument;
  if (__stop_mac_go - __start_mac_go != 1) abort();
  if (getenv("MAC_GO_AT_LOAD"))
    start(1, (char *[]){"", NULL});
  else
    __start_mac_go[0] = start;
}
