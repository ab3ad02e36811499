// Waking the drainer. Rule: no descriptor and no lock. Ringing is one system call, made when a ring has filled by a
// quarter, when all rings are or will soon be in use, and for the first record after the drainer went to sleep without
// a timeout.
#ifndef MTRACE_DOORBELL_H
#define MTRACE_DOORBELL_H
#include <stdatomic.h>
#include <stdbool.h>
#include "system/hidden.h"

bool mt_doorbell_make(void);
void mt_doorbell_ring(void); // changes errno: the caller saves it

// The drainer's side: waits until the bell rings or the time is over; a negative time means no limit. Returns true if
// it rang.
bool mt_doorbell_wait(int milliseconds);

// Set by the drainer before it waits without a timeout. A thread that publishes and finds it set clears it and rings.
// Publishing and checking are not ordered by a fence, which every record would pay for. Instead the drainer, after
// setting it, waits one more round with a timeout, longer than any store stays in a processor's buffer, and checks the
// rings again.
extern MT_HIDDEN _Atomic int mt_drainer_sleeps;
void mt_doorbell_wake(void); // keeps errno
#endif
