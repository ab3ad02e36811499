// Linux: finds the bounds of a thread's stack. For the main thread this file computes them from the stack's end, as the
// loader stores it (__libc_stack_end), and from the limit on the stack's size. The C library would open a file for that
// in the traced program, and take a descriptor number.
#include <pthread.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "stacks/stack.h"

// The maximum size that is assumed for the main thread's stack, in bytes. The kernel keeps at least this much address
// space free for it, whatever the limit (arch/x86/mm/mmap.c and mm/util.c, MIN_GAP).
enum { LEAST_GAP = 128 << 20 };

extern void *__libc_stack_end __attribute__((weak)); // glibc

static bool of_main(uintptr_t *low, uintptr_t *high) {
  struct rlimit limit;
  if (!&__libc_stack_end || !__libc_stack_end || getrlimit(RLIMIT_STACK, &limit) != 0) return false;
  *high = (uintptr_t)__libc_stack_end;
  *low = *high - (limit.rlim_cur < LEAST_GAP ? (uintptr_t)limit.rlim_cur : LEAST_GAP);
  return true;
}

bool mt_stack_bounds(uintptr_t *low, uintptr_t *high) {
  if (syscall(SYS_gettid) == getpid()) return of_main(low, high);
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
  void *address;
  size_t size;
  bool known = pthread_attr_getstack(&attributes, &address, &size) == 0;
  pthread_attr_destroy(&attributes);
  *low = (uintptr_t)address;
  *high = *low + size;
  return known;
}
