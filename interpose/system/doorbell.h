// The doorbell: a semaphore with which threads wake the drainer (the thread that moves records to the collector). Rule:
// it takes no descriptor and no lock. Ringing is one system call. A thread rings in three cases only: its ring (its
// buffer of records) is a quarter full; many rings are in use; or the drainer sleeps without a time limit when a record
// is written.
#ifndef MTRACE_DOORBELL_H
#define MTRACE_DOORBELL_H
#include <stdatomic.h>
#include <stdbool.h>
#include "system/hidden.h"

bool mt_doorbell_make(void);
void mt_doorbell_ring(void); // changes errno: the caller saves it

// Called by the drainer (the tracer's thread that sends records to the collector): waits until the bell rings or the
// time is over; a negative time means no limit. Returns true if it rang.
bool mt_doorbell_wait(int milliseconds);

// Set by the drainer (the tracer's thread that sends records to the collector) before it sleeps without a time limit.
// A thread that publishes a record and finds the flag set clears it and wakes the drainer.
//
// No fence orders the thread's store of the record and its load of this flag, because every record would pay for it.
// So a thread could miss the flag while the drainer misses the record. Therefore the drainer does not sleep at once
// after setting the flag. It first waits one more round with a time limit, longer than any store stays in a
// processor's store buffer. Then it looks at the rings (the threads' buffers of records in shared memory) again.
extern MT_HIDDEN _Atomic int mt_drainer_sleeps;
void mt_doorbell_wake(void); // keeps errno
#endif
