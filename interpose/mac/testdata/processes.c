// processes_darwin.c: every wait for a child process that must wait is recorded, with the child and its program, and the program gets what the
// original gives. interpose_darwin.c: the private compiler service, which programs find with dlsym, is recorded, and dlsym finds all else.
#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "check.h"
#include "fakes.h"

// What dyld binds the program's calls to.
#define BOUND(name) ((__typeof__(name) *)mac_replacement((const void *)name))

static uint64_t seen;
static const struct record *next_of(unsigned call) {
  struct thread *t = mt_thread();
  for (; seen < t->head; seen++)
    if (mt_ring_slot(t->ring, seen)->call == call) return mt_ring_slot(t->ring, seen++);
  return NULL;
}

static bool main_sleeps(pid_t process) {
  char path[64], state = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
  FILE *file = fopen(path, "r");
  CHECK(file && fscanf(file, "%*d (%*[^)]) %c", &state) == 1);
  fclose(file);
  return state == 'S';
}

// A child that ends with status 7 when this process has gone to sleep.
static pid_t child(void) {
  pid_t parent = getpid(), pid = fork();
  CHECK(pid >= 0);
  if (pid > 0) return pid;
  for (int slept = 0; slept < 3; slept = main_sleeps(parent) ? slept + 1 : 0) pause_ms(1);
  _exit(7);
}

static void recorded(unsigned call, pid_t process, bool named) {
  const struct record *r = next_of(call);
  CHECK(r && r->end > r->begin && r->arg == (uint64_t)process && !(r->flags & MT_FLAG_FAILED) == (process != 0));
  CHECK((mt_ring_slot(mt_thread()->ring, seen)->begin != 0) == named);
  CHECK(!next_of(call));
}

static void children(bool traced) {
  int status = 0;
  struct rusage usage = {0};
  siginfo_t info = {0};
  pid_t pid = child();
  CHECK(BOUND(waitpid)(pid, &status, 0) == pid && WEXITSTATUS(status) == 7);
  if (traced) recorded(MT_CALL_signal_waitpid, pid, true);
  pid = child();
  CHECK(BOUND(wait4)(pid, &status, 0, &usage) == pid && WEXITSTATUS(status) == 7);
  if (traced) recorded(MT_CALL_signal_wait4, pid, true);
  pid = child();
  CHECK(BOUND(wait)(&status) == pid && WEXITSTATUS(status) == 7);
  if (traced) recorded(MT_CALL_signal_wait, pid, false);
  pid = child();
  CHECK(BOUND(waitid)(P_PID, (id_t)pid, &info, WEXITED) == 0 && info.si_pid == pid && info.si_status == 7);
  if (traced) recorded(MT_CALL_signal_waitid, pid, true);
  CHECK(WEXITSTATUS(BOUND(system)("exit 5")) == 5);
  if (traced) {
    const struct record *r = next_of(MT_CALL_signal_system);
    CHECK(r && r->arg == 0 && mt_ring_slot(mt_thread()->ring, seen)->begin != 0);
  }

  // Nothing to wait for: a child that has ended, or is asked for without waiting, or is none.
  pid = child();
  while (kill(pid, 0) == 0 && waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid != pid) pause_ms(1);
  CHECK(BOUND(waitpid)(pid, &status, 0) == pid);
  errno = 0;
  CHECK(BOUND(waitpid)(-1, &status, 0) == -1 && errno == ECHILD && BOUND(wait)(NULL) == -1 && BOUND(wait4)(-1, NULL, WNOHANG, NULL) == -1);
  CHECK(BOUND(waitid)(P_ALL, 0, &info, WEXITED) == -1 && BOUND(system)(NULL) != 0);
  if (traced) CHECK(!next_of(MT_CALL_signal_waitpid) && !next_of(MT_CALL_signal_wait) && !next_of(MT_CALL_signal_wait4) && !next_of(MT_CALL_signal_waitid));
}

static int built;
__attribute__((visibility("default"))) void MTLCodeGenServiceBuildRequest(void *service, void *unused, int32_t type, const void *request, size_t bytes, void *block) {
  CHECK(service == &built && !unused && (type == 13 || type == 1) && request && bytes && block == &seen);
  built++;
}

static void compiler(bool traced) {
  void (*build)(void *, void *, int32_t, const void *, size_t, void *) = NULL;
  *(void **)&build = BOUND(dlsym)(RTLD_DEFAULT, "MTLCodeGenServiceBuildRequest");
  CHECK(build && ((void *)build != (void *)MTLCodeGenServiceBuildRequest) == traced);
  CHECK(BOUND(dlsym)(RTLD_DEFAULT, "MTLSomethingElse") == NULL && BOUND(dlsym)(RTLD_DEFAULT, "main") == dlsym(RTLD_DEFAULT, "main"));
  struct {
    uint64_t source, parameters;
    char text[16];
  } request = {8, 1, "kernel"};
  built = 0;
  build(&built, NULL, 13, &request, sizeof request, &seen);
  request.source = ~0ull; // longer than the request is
  build(&built, NULL, 13, &request, sizeof request, &seen);
  build(&built, NULL, 1, &request, sizeof request, &seen);
  CHECK(built == 3);
  if (!traced) return;
  for (int i = 0; i < 3; i++) {
    const struct record *r = next_of(MT_CALL_function_MTLCodeGenServiceBuildRequest);
    CHECK(r && r->flags & MT_FLAG_HAS_MORE);
    const struct record *more = mt_ring_slot(mt_thread()->ring, seen);
    CHECK(more->end == (i == 0 ? strlen("kernel") : 0) && (more->begin != 0) == (i == 0));
  }
}

int main(int argc, char **argv) {
  (void)argc, (void)argv;
  bool traced = getenv("MTRACE_SOCKET") && *getenv("MTRACE_SOCKET");
  children(false);
  compiler(traced); // the first call of Metal's, as in a worker that makes no device
  if (traced) CHECK(mt_locks_on());
  children(traced);
  puts("ok");
  return 0;
}
