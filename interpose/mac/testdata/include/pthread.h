// What Apple's header has beside POSIX.
//
// Rule, of libpthread's src/pthread.c: the stack's address is that of its end; a thread's id is the kernel's; a thread names only itself, with
// 63 bytes at most.
#ifndef FAKE_PTHREAD_H
#define FAKE_PTHREAD_H
#include_next <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define pthread_setname_np(name) mac_setname(name)
int mac_setname(const char *name);
int pthread_threadid_np(const void *thread, uint64_t *id); // a pthread_t is a pointer there
void *pthread_get_stackaddr_np(pthread_t thread);
size_t pthread_get_stacksize_np(pthread_t thread);
int pthread_cond_timedwait_relative_np(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *time);
#endif
