// Waiting for free space in a ring, with MTRACE_ON_FULL=block.
//
// Rule: a thread waits as long as any side will read the ring, however slow or stopped the collector is, because the
// user requested that. It stops waiting on evidence that no side reads the ring any more (mt_session_over), never
// merely because time has passed, unless the user set a limit. Cancellation is disabled during the wait: a thread of
// the program must not end inside a call that would have returned.
#ifndef MTRACE_ROOM_H
#define MTRACE_ROOM_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// Reads MTRACE_ON_FULL and MTRACE_BLOCK_LIMIT_MS.
void mt_room_start(void);

// Waits until tail has reached wanted. Returns false if it will not, or if waiting is off. After a failed wait, *stuck
// has the tail, and the thread does not wait again until the tail has moved. Changes errno: the caller saves it.
bool mt_room_wait(const _Atomic uint64_t *tail, uint64_t wanted, uint64_t *stuck);
#endif
