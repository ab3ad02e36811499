// macOS: the C library knows the bounds of every thread's stack. The address that it reports is the upper end.
#include <pthread.h>
#include "stacks/stack.h"

bool mt_stack_bounds(uintptr_t *low, uintptr_t *high) {
  pthread_t self = pthread_self();
  *high = (uintptr_t)pthread_get_stackaddr_np(self);
  *low = *high - pthread_get_stacksize_np(self);
  return true;
}
