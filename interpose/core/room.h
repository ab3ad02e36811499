// Waiting for room in a ring, with MTRACE_ON_FULL=block.
//
// Rule: who waits waits as long as somebody will read the ring, for that is what block means, however slow or stopped
// the collector is. It gives up on evidence that nobody will (mt_session_over), never because time has passed, unless
// the user set a limit. Cancellation is off while it waits: a thread of the program is not to end inside a call that
// would have returned.
#ifndef MTRACE_ROOM_H
#define MTRACE_ROOM_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// Reads MTRACE_ON_FULL and MTRACE_BLOCK_LIMIT_MS.
void mt_room_start(void);

// Waits until tail has come to wanted; false when it will not, or when nobody is to wait. Who gave up at a tail, kept
// in *stuck, does not wait again before something was read. Keeps nothing: the caller saves errno.
bool mt_room_wait(const _Atomic uint64_t *tail, uint64_t wanted, uint64_t *stuck);
#endif
