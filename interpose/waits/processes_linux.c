// Linux: records waits for child processes. The functions exported here are found before the C library's, because the
// library is preloaded. Calls inside the C library do not come here; therefore system is replaced, too.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "system/originals.h"
#include "waits/locks.h"
#include "waits/processes.h"

#define EXPORT __attribute__((visibility("default")))

// The body of a replaced function that waits for a child process. `waits` is the original call. `asked` is the same
// call with the option not to wait; it returns 0 if the thread would have to wait.
#define WAIT_FOR_PROCESS(call, process, options, asked, waits, ended) \
  if (((options) & WNOHANG) || !mt_signals_on()) return waits; \
  __typeof__(waits) result = asked; \
  if (result != 0) return result; \
  struct mt_process_wait wait_of_it; \
  mt_process_wait_begin(&wait_of_it, MT_CALL_signal_##call, process, __builtin_frame_address(0)); \
  result = waits; \
  mt_process_waited(&wait_of_it, ended); \
  return result

EXPORT pid_t waitpid(pid_t process, int *status, int options) {
  WAIT_FOR_PROCESS(waitpid, process, options, ORIGINAL(waitpid)(process, status, options | WNOHANG),
      ORIGINAL(waitpid)(process, status, options), result);
}
EXPORT pid_t wait4(pid_t process, int *status, int options, struct rusage *usage) {
  WAIT_FOR_PROCESS(wait4, process, options, ORIGINAL(wait4)(process, status, options | WNOHANG, usage),
      ORIGINAL(wait4)(process, status, options, usage), result);
}
EXPORT pid_t wait(int *status) { WAIT_FOR_PROCESS(wait, 0, 0, ORIGINAL(waitpid)(-1, status, WNOHANG),
    ORIGINAL(wait)(status), result); }

// Asks without waiting. Returns 1 if a child has ended, 0 if the caller would have to wait, -1 on error. waitid
// itself returns 0 in the first two cases; only the stored process id differs.
static int waitid_asks(idtype_t kind, id_t id, siginfo_t *child, int options) {
  child->si_pid = 0;
  int result = ORIGINAL(waitid)(kind, id, child, options | WNOHANG);
  return result == 0 && child->si_pid != 0 ? 1 : result;
}
EXPORT int waitid(idtype_t kind, id_t id, siginfo_t *child, int options) {
  if ((options & WNOHANG) || !mt_signals_on() || !child) return ORIGINAL(waitid)(kind, id, child, options);
  int asked = waitid_asks(kind, id, child, options);
  if (asked != 0) return asked > 0 ? 0 : asked;
  struct mt_process_wait w;
  mt_process_wait_begin(&w, MT_CALL_signal_waitid, kind == P_PID ? (pid_t)id : 0, __builtin_frame_address(0));
  int result = ORIGINAL(waitid)(kind, id, child, options);
  mt_process_waited(&w, result == 0 ? child->si_pid : 0);
  return result;
}

EXPORT int system(const char *command) {
  if (!command || !mt_signals_on()) return ORIGINAL(system)(command);
  struct mt_process_wait w;
  mt_process_wait_begin(&w, MT_CALL_signal_system, 0, __builtin_frame_address(0));
  snprintf(w.program, sizeof w.program, "%s", command);
  int result = ORIGINAL(system)(command);
  mt_process_waited(&w, 0);
  return result;
}
