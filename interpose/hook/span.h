// One call, from entry to return: the hot path.
//
// Rule: of the nested calls of one family on a thread, the outermost is recorded and the inner ones are counted:
// Metal's methods call each other, classes call super, and wrappers call the objects they wrap. A call is in progress
// from the frame address of the outermost call's trampoline on: an inner call has a deeper frame. An exception that
// passes closes the call: see unwind.h. longjmp gives no notice; the next call that is not deeper detects it by
// comparing frames.
//
// The current-call words show a collector the call that a thread was inside when it hung or died: see region.h.
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
  // the enclosing call of another family; its begin is valid only if there is one
  uint64_t outer_begin, outer_current;
};

// Returns the number of the object that receives the call.
static inline uint32_t mt_span_object(const struct span *s) { return (uint32_t)s->current; }

// Removes the object from a call that has not started, because the object will have another number when the call is
// over.
static inline void mt_span_forget(struct span *s) { s->current &= ~(uint64_t)UINT32_MAX; }

// Enters a call from the trampoline with the given frame. Returns false when the call is not recorded: then only the
// original is called.
bool mt_span_enter(struct span *s, unsigned family, unsigned call, id self, uintptr_t frame);

// Starts the clock of an entered call: the last step before the original.
void mt_span_start(struct span *s, unsigned family, unsigned call);

// Enters a call and starts its clock, for calls that need no work in between.
bool mt_span_begin(struct span *s, unsigned family, unsigned call, id self, uintptr_t frame);

// Ends a call and publishes it; the second function also writes a More record with the three words in more.
void mt_span_end(struct span *s, uint64_t end, unsigned family, unsigned flags, uint64_t arg);
void mt_span_end_more(struct span *s, uint64_t end, unsigned family, unsigned flags, uint64_t arg,
    const uint64_t more[3]);

// Called when an object is released inside a call of its family. Returns true if that call is about another object, for
// instance when a view releases the last reference to its texture: then the release is not an inner part of the call,
// and it is recorded with a length of 0, because the time belongs to the outer call. In either case the object loses
// its number.
bool mt_span_freed(unsigned family, unsigned call, unsigned flags, id self);

// SPAN_BY enters or begins a call for the function that contains the macro, SPAN_OF_CALLER for the caller of that
// function; the caller must then contain UNWIND_PERSONALITY itself. A frame's first word is the caller's frame (System
// V ABI for x86-64, 3.2.2; AAPCS64, 6.4.6).
#define SPAN_BY(enter_or_begin, span, family, call, self) ({ \
  UNWIND_PERSONALITY; \
  enter_or_begin(span, family, call, self, (uintptr_t)__builtin_frame_address(0)); \
})
#define SPAN_OF_CALLER(enter_or_begin, span, family, call, self) \
  enter_or_begin(span, family, call, self, *(uintptr_t *)__builtin_frame_address(0))
#endif
