// One call, from entry to return: the hot path.
//
// Rule: of the calls of one family that are in progress on a thread, the outermost is recorded and the inner ones are
// counted: Metal's methods call each other, classes call super, and wrappers call what they wrap. "In progress" is the
// frame address of the outermost call's trampoline: an inner call lies deeper. An exception that passes closes the
// call: see unwind.h. longjmp does not say that it passes; the next call that is not deeper finds that out by
// comparing.
//
// The current-call words let a collector see what a thread was inside when it hung or died: see region.h.
#ifndef MTRACE_SPAN_H
#define MTRACE_SPAN_H
#include "core/clock.h"
#include "core/identity.h"
#include "hook/objc.h"
#include "core/thread.h"
#include "hook/unwind.h"

struct span {
  struct thread *thread;
  uint64_t begin, current;             // the object and the call, as in a record's fourth word
  // the call of another family this one is inside of; its begin only when there is one
  uint64_t outer_begin, outer_current;
};

// The number of the object that is called.
static inline uint32_t mt_span_object(const struct span *s) { return (uint32_t)s->current; }

// Takes the object out of a call that has not started: it will have another number when the call is over.
static inline void mt_span_forget(struct span *s) { s->current &= ~(uint64_t)UINT32_MAX; }

// Enters a call whose trampoline has the given frame. False when it is not to be recorded: then only the original is
// called.
bool mt_span_enter(struct span *s, unsigned family, unsigned call, id self, uintptr_t frame);

// Starts the clock of a call that was entered: the last thing before the original.
void mt_span_start(struct span *s, unsigned family, unsigned call);

// Both at once, for calls before which nothing is to be done.
bool mt_span_begin(struct span *s, unsigned family, unsigned call, id self, uintptr_t frame);

// Ends a call and publishes it; the second one with the record that goes with it, whose first three words are more.
void mt_span_end(struct span *s, uint64_t end, unsigned family, unsigned flags, uint64_t arg);
void mt_span_end_more(struct span *s, uint64_t end, unsigned family, unsigned flags, uint64_t arg,
    const uint64_t more[3]);

// An object is released inside of a call of its family. True when that call is about another one, as when a view
// releases the texture that it was the last to hold: that is no inner part of it. It is written down then without a
// length, because the time is the outer call's. Either way the object has no number any more.
bool mt_span_freed(unsigned family, unsigned call, unsigned flags, id self);

// Enters or begins, for the function this is used in; the second one for its caller, which names the personality
// routine itself. A frame's first word is the caller's frame (System V ABI for x86-64, 3.2.2; AAPCS64, 6.4.6).
#define SPAN_BY(enter_or_begin, span, family, call, self) ({ \
  UNWIND_PERSONALITY; \
  enter_or_begin(span, family, call, self, (uintptr_t)__builtin_frame_address(0)); \
})
#define SPAN_OF_CALLER(enter_or_begin, span, family, call, self) \
  enter_or_begin(span, family, call, self, *(uintptr_t *)__builtin_frame_address(0))
#endif
