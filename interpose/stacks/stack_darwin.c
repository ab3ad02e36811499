// macOS: the bounds of a thread's stack, which the C library knows for every thread. Its address is the upper end of
// the stack.
#include <pthread.h>
#include "stacks/stack.h"

bool mt_stack_bounds(uintptr_t *low, uintptr_t *high) {
  pthread_t self = pthread_self();
  *high = (uintptr_t)pthread_get_stackaddr_np(self);
  *low = *high - pthread_get_stacksize_np(self);
  return true;
}
