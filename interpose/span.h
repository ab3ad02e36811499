// One call, from entry to return: the hot path.
//
// Rule: of the calls of one family that are in progress on a thread, the outermost is recorded and the inner ones are counted:
// Metal's methods call each other, classes call super, and wrappers call what they wrap. "In progress" is the frame
// address of the outermost call's trampoline: an inner call lies deeper. An exception that passes closes the call: see
// unwind.h. longjmp does not say that it passes; the next call that is not deeper finds that out by comparing.
//
// The current-call words let a collector see what a thread was inside when it hung or died: see region.h.
#ifndef MTRACE_SPAN_H
#define MTRACE_SPAN_H
#include "clock.h"
#include "identity.h"
#include "objc.h"
#include "thread.h"
#include "unwind.h"

struct span {
  struct thread *thread;
  uint64_t begin;
  uint64_t outer_begin, outer_current; // the call of another family this one is inside of
  uint32_t object;
};

// Enters a call whose trampoline has the given frame. False when it is not to be recorded: then only the original is called.
bool mt_span_enter(struct span *s, unsigned family, id self, uintptr_t frame);

// Starts the clock of a call that was entered: the last thing before the original.
void mt_span_start(struct span *s, unsigned family, unsigned call);

// Ends a call and publishes it. More is NULL or the record that goes with it.
void mt_span_end(struct span *s, uint64_t end, unsigned family, unsigned call, unsigned flags, uint64_t arg, const struct record *more);

// Enters, for the function this is used in.
#define SPAN_ENTER(span, family, self) ({ \
  UNWIND_PERSONALITY; \
  mt_span_enter(span, family, self, (uintptr_t)__builtin_frame_address(0)); \
})
#endif
