// Mutexes, semaphores and sleeps for the tracer's own use. They call the system's functions directly, so that the
// tracer's own waits are not recorded.
#ifndef MTRACE_OWN_H
#define MTRACE_OWN_H
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

void mt_own_lock(pthread_mutex_t *mutex);
void mt_own_unlock(pthread_mutex_t *mutex);

// Sleep, and poll one descriptor. Both set errno as the system's functions do.
int mt_own_nanosleep(const struct timespec *time, struct timespec *left);
int mt_own_poll(struct pollfd *one, int milliseconds);
#ifdef __linux__
int mt_own_sem_wait(sem_t *semaphore);
int mt_own_sem_timedwait(sem_t *semaphore, const struct timespec *until);
int mt_own_sem_post(sem_t *semaphore);
#endif
#endif
