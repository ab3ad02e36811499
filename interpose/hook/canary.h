// The self-check: a known number of calls through a queue of the library's own, before the program has made any but the
// one for its device. What was made is told in facts, what was seen in records of the tracer's own: none is a call of
// the program.
#ifndef MTRACE_CANARY_H
#define MTRACE_CANARY_H
#include "hook/objc.h"
#include "core/thread.h"

// The canary's objects have numbers of their own, at the end of all: those of the program's objects are what they would
// be.
#define MT_CANARY_FIRST 0x7fff0000u // up to the first number of a lock
static inline bool mt_canary_has(uint32_t number) { return number >= MT_CANARY_FIRST && number < MT_FIRST_LOCK; }

// Was it asked for? Looks into the environment.
void mt_canary_start(void);

// Makes the calls, once in the life of the process, on the first device; on the thread that made that.
void mt_canary_fly(struct thread *t, id device);

// Keeps in mind that an object has a number of the canary's.
void mt_canary_keep(const void *object);

// The number of an object that one of its calls made.
uint32_t mt_canary_number(void);

// Writes that a call of the canary was seen.
void mt_canary_seen(struct thread *t, unsigned call);
#endif
