// One recorded call, from entry to return; every hooked call passes through these functions.
//
// Rule: if calls of one family (a kind of objects, such as command buffers) are nested on a thread, only the
// outermost is recorded, and the inner ones are counted. Metal's methods call each other, classes call super, and
// wrappers call the objects inside them; recording these inner calls would count one call several times. A call in
// progress is identified by the frame address of its trampoline; an inner call has a deeper frame. An exception that
// passes through a call closes it (unwind.h). longjmp gives no notice: the next call that is not deeper detects it by
// comparing frames.
//
// The words current and current_begin in the header of the thread's ring (its buffer of records in shared memory)
// show the collector which call a thread was inside when it hung or died: see region.h.
#ifndef MTRACE_SPAN_H
#define MTRACE_SPAN_H
#include "core/clock.h"
#include "core/identity.h"
#include "hook/objc.h"
#include "core/thread.h"
#include "hook/unwind.h"

struct span {
  struct thread *thread;
  uint64_t begin;                      // when the call began, in ticks
  uint64_t current;                    // the object and the call, as in a record's fourth word
  // the enclosing call of another family (a kind of objects, such as queues), which becomes current again at the end;
  // outer_begin is valid only if outer_current is not 0
  uint64_t outer_begin, outer_current;
};

// Returns the number of the object that receives the call.
static inline uint32_t mt_span_object(const struct span *s) { return (uint32_t)s->current; }

// Removes the object number (the trace's ID of the object that receives the call) from a call that has not started
// yet. Call it if the object gets another number during the call, as in an initializer; otherwise the record would name
// the wrong object.
static inline void mt_span_forget(struct span *s) { s->current &= ~(uint64_t)UINT32_MAX; }

// Enters a call from the trampoline (the function that replaces a hooked method) with the given frame address.
// Returns false if the call must not be recorded; the trampoline then only calls the original.
bool mt_span_enter(struct span *s, unsigned family, unsigned call, id self, uintptr_t frame);

// Starts the clock of an entered call. Call it directly before the original, otherwise the tracer's own work is
// measured as part of the call.
void mt_span_start(struct span *s, unsigned family, unsigned call);

// Enters a call and starts its clock, for calls that need no other work in between. Returns false as mt_span_enter
// does.
bool mt_span_begin(struct span *s, unsigned family, unsigned call, id self, uintptr_t frame);

// End a call and publish its record. mt_span_end_more adds a second record, of kind More, with the three words in
// more.
void mt_span_end(struct span *s, uint64_t end, unsigned family, unsigned flags, uint64_t arg);
void mt_span_end_more(struct span *s, uint64_t end, unsigned family, unsigned flags, uint64_t arg,
    const uint64_t more[3]);

// Called when an object is released while the thread is inside a call of the object's family. The object always loses
// its number. Returns true if the object is not the receiver of that call, for instance when a view releases the last
// reference to its texture. The release is then recorded as a call of its own, with a length of 0, because its time
// belongs to the outer call.
bool mt_span_freed(unsigned family, unsigned call, unsigned flags, id self);

// SPAN_BY enters or begins a call for the function in which the macro is used. SPAN_OF_CALLER does it for the caller
// of that function; the caller must contain UNWIND_PERSONALITY. The first word of a frame is the address of the
// caller's frame (System V ABI for x86-64, 3.2.2; AAPCS64, 6.4.6).
#define SPAN_BY(enter_or_begin, span, family, call, self) ({ \
  UNWIND_PERSONALITY; \
  enter_or_begin(span, family, call, self, (uintptr_t)__builtin_frame_address(0)); \
})
#define SPAN_OF_CALLER(enter_or_begin, span, family, call, self) \
  enter_or_begin(span, family, call, self, *(uintptr_t *)__builtin_frame_address(0))
#endif
