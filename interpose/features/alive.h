// Counts how many command buffers and encoders are alive. A program without an autorelease pool around its loop never
// frees its command buffers, nor their encoders and the resources that they use; the counts show that.
//
// Rule: creating or freeing such an object only counts and writes no record. The counters are in the header of the
// shared memory, for all threads together. A record has their current values at most once in a millisecond, so that
// the report shows how they change.
#ifndef MTRACE_ALIVE_H
#define MTRACE_ALIVE_H
#include "core/thread.h"
#include "hook/objc.h"

// Called when the program has created a command buffer or an encoder; the pointers are the counters of its kind (`most`
// is the maximum number alive). hooked says whether the tracer sees when such an object is freed; otherwise it is not
// counted, because it would seem to stay alive.
void mt_alive_made(const struct thread *t, id object, _Atomic uint64_t *made, _Atomic uint64_t *most,
    const _Atomic uint64_t *freed, bool hooked);

// Called when a command buffer or an encoder is about to be freed. It may be called several times for one object: the
// method may be hooked in both its class and a superclass. A wrapper also frees the object inside it, which has the
// same number.
void mt_alive_freed(id self, _Atomic uint64_t *freed);

// Writes a record with the current numbers of live command buffers and encoders. now is the current time in ticks.
void mt_alive_sample(struct thread *t, uint64_t now);
#endif
