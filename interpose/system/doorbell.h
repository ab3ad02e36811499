// Waking the drainer. Rule: no descriptor and no lock; ringing is one system call, made when a ring has filled by a
// quarter, when there are no more rings or soon will not be, and for the first record after the drainer went to sleep
// for good.
#ifndef MTRACE_DOORBELL_H
#define MTRACE_DOORBELL_H
#include <stdatomic.h>
#include <stdbool.h>
#include "system/hidden.h"

bool mt_doorbell_make(void);
void mt_doorbell_ring(void); // keeps nothing: the caller saves errno

// The drainer's side: waits until the bell rings or the time is over; negative is without end. True when it rang.
bool mt_doorbell_wait(int milliseconds);

// Set by the drainer before it waits without end; whoever publishes and finds it set clears it and rings. The order of
// publishing and looking is not fenced, which would cost every record: after setting it the drainer waits one more
// round with an end, longer than any store stays in a processor's buffer, and looks at the rings again.
extern MT_HIDDEN _Atomic int mt_drainer_sleeps;
void mt_doorbell_wake(void); // keeps errno
#endif
