// macOS: dyld does not apply the table of replacements to the image that holds it.
#include "system/own.h"

void mt_own_lock(pthread_mutex_t *mutex) { pthread_mutex_lock(mutex); }
void mt_own_unlock(pthread_mutex_t *mutex) { pthread_mutex_unlock(mutex); }
