// Counts how many command buffers are alive. A program without an autorelease pool around its loop never frees its
// command buffers, nor their encoders and the resources that they use; the count shows that.
//
// Rule: creating or freeing a command buffer only counts and writes no record. The counters are in the header of the
// shared memory, for all threads together.
#ifndef MTRACE_ALIVE_H
#define MTRACE_ALIVE_H
#include "core/thread.h"
#include "hook/objc.h"

// Called when the program has created a command buffer. hooked says whether the tracer sees when such a command
// buffer is freed; otherwise it is not counted, because it would seem to live for ever.
void mt_alive_made(const struct thread *t, id made, bool hooked);

// Called when a command buffer is about to be freed. It may be called several times for one object: its class and an
// ancestor can both be hooked, and a wrapper frees the object inside it, which has the same number.
void mt_alive_freed(id self);
#endif
