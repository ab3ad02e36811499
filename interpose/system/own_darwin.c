// macOS: the system's functions can be called by their names, because dyld does not apply the table of replacements
// to the image that contains it.
#include "system/own.h"

void mt_own_lock(pthread_mutex_t *mutex) { pthread_mutex_lock(mutex); }
void mt_own_unlock(pthread_mutex_t *mutex) { pthread_mutex_unlock(mutex); }
int mt_own_nanosleep(const struct timespec *time, struct timespec *left) { return nanosleep(time, left); }
int mt_own_poll(struct pollfd *one, int milliseconds) { return poll(one, 1, milliseconds); }
