// What the library uses of Apple's header.
//
// Rule, of libplatform's src/os/lock.c: the lock is one word, 0 while it is free; a thread that locks what it has, or unlocks what it has not,
// ends the process.
#ifndef FAKE_OS_LOCK_H
#define FAKE_OS_LOCK_H
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint32_t word;
} os_unfair_lock, *os_unfair_lock_t;
#define OS_UNFAIR_LOCK_INIT {0}
void os_unfair_lock_lock(os_unfair_lock_t lock);
bool os_unfair_lock_trylock(os_unfair_lock_t lock);
void os_unfair_lock_unlock(os_unfair_lock_t lock);
#endif
