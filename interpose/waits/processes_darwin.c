// macOS: records waits for child processes; locks_darwin.c describes how functions are replaced. Inside the C library
// one of these functions may call another. The inner wait then lies within the time of the outer wait.
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "waits/locks.h"
#include "waits/processes.h"

static pid_t waits_for_pid(pid_t process, int *status, int options) {
  if ((options & WNOHANG) || !mt_signals_on()) return waitpid(process, status, options);
  pid_t result = waitpid(process, status, options | WNOHANG);
  if (result != 0) return result;
  struct mt_process_wait w;
  mt_process_wait_begin(&w, MT_CALL_signal_waitpid, process, __builtin_frame_address(0));
  result = waitpid(process, status, options);
  mt_process_waited(&w, result);
  return result;
}
static pid_t waits_with_usage(pid_t process, int *status, int options, struct rusage *usage) {
  if ((options & WNOHANG) || !mt_signals_on()) return wait4(process, status, options, usage);
  pid_t result = wait4(process, status, options | WNOHANG, usage);
  if (result != 0) return result;
  struct mt_process_wait w;
  mt_process_wait_begin(&w, MT_CALL_signal_wait4, process, __builtin_frame_address(0));
  result = wait4(process, status, options, usage);
  mt_process_waited(&w, result);
  return result;
}
static pid_t waits_for_any(int *status) {
  if (!mt_signals_on()) return wait(status);
  pid_t result = waitpid(-1, status, WNOHANG);
  if (result != 0) return result;
  struct mt_process_wait w;
  mt_process_wait_begin(&w, MT_CALL_signal_wait, 0, __builtin_frame_address(0));
  result = wait(status);
  mt_process_waited(&w, result);
  return result;
}
static int waits_for_id(idtype_t kind, id_t id, siginfo_t *child, int options) {
  if ((options & WNOHANG) || !mt_signals_on() || !child) return waitid(kind, id, child, options);
  child->si_pid = 0;
  int result = waitid(kind, id, child, options | WNOHANG);
  if (result != 0 || child->si_pid != 0) return result;
  struct mt_process_wait w;
  mt_process_wait_begin(&w, MT_CALL_signal_waitid, kind == P_PID ? (pid_t)id : 0, __builtin_frame_address(0));
  result = waitid(kind, id, child, options);
  mt_process_waited(&w, result == 0 ? child->si_pid : 0);
  return result;
}
static int runs_command(const char *command) {
  if (!command || !mt_signals_on()) return system(command);
  struct mt_process_wait w;
  mt_process_wait_begin(&w, MT_CALL_signal_system, 0, __builtin_frame_address(0));
  snprintf(w.program, sizeof w.program, "%s", command);
  int result = system(command);
  mt_process_waited(&w, 0);
  return result;
}

__attribute__((used, section("__DATA,__interpose"))) static const struct {
  const void *replacement, *original;
} process_pairs[] = {
    {(const void *)waits_for_pid, (const void *)waitpid},
    {(const void *)waits_with_usage, (const void *)wait4},
    {(const void *)waits_for_any, (const void *)wait},
    {(const void *)waits_for_id, (const void *)waitid},
    {(const void *)runs_command, (const void *)system},
};
