// Waiting for free space in a full ring (a thread's buffer of records), with MTRACE_ON_FULL=block; without it,
// records that do not fit are dropped and counted.
//
// Rule: a thread waits as long as the collector or the drainer (the tracer's thread that sends records to the
// collector) can still read the ring, even if they are slow or stopped: the user asked to lose nothing. It gives up
// only on evidence that nobody reads the ring any more (mt_session_over), or at the limit that the user set; the
// tracer has no time limit of its own. Thread cancellation is disabled during the wait: without the tracer, the
// traced call is no cancellation point, so a thread must not be cancelled in it.
#ifndef MTRACE_ROOM_H
#define MTRACE_ROOM_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// Reads MTRACE_ON_FULL and MTRACE_BLOCK_LIMIT_MS.
void mt_room_start(void);

// Waits until the tail of the ring (the thread's buffer of records) has reached wanted, so that the slots before it
// are free. Returns false if that will not happen, or if waiting is off. After a failed wait, *stuck holds the tail,
// and the thread does not wait again until the tail has moved. It changes errno: the caller must save it.
bool mt_room_wait(const _Atomic uint64_t *tail, uint64_t wanted, uint64_t *stuck);
#endif
