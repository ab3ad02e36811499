// Records the stacks of calls, if the user asks for them: MTRACE_STACKS=native,python. collector/wire/stack.go
// describes the record.
//
// Rule: the calling thread reads its own stack. It follows frame pointers (or, on Linux, unwind tables) from the frame
// of the trampoline (the function that replaces a hooked method) to the end of the thread's own stack, and reads
// nothing beyond. On a stack that is not the thread's own (a coroutine's, a signal handler's) only the caller is
// recorded. There is no lock, no system call and no allocation, with one exception: at a thread's first Metal call the
// C library is asked for the stack's bounds, and allocates for that.
//
// The frames of a stack are sent to the collector once per thread; after that only the StackID is sent, as text.h
// does for texts.
#ifndef MTRACE_STACK_H
#define MTRACE_STACK_H
#include "core/clock.h"
#include "core/thread.h"

enum { MT_STACKS_NATIVE = 1, MT_STACKS_PYTHON = 2 };

extern unsigned mt_stacks; // the requested stacks; constant once calls are recorded
extern const uint8_t mt_calls_with_stack[MT_CALL_COUNT];

// Reads from the environment which stacks are requested.
void mt_stack_start(void);

// Called when a thread has taken a ring (a buffer for its records): gives the thread its memory for stacks, if stacks
// are recorded.
void mt_stack_open(struct thread *t);

// Sends what is needed to read stacks, if they are recorded: the images, and a warning if this version of Python is
// unknown.
void mt_stack_say(void);

// Called before and after a fork, in the forking thread. In between, no thread reads the dynamic linker's list of
// images (mt_images_hold); otherwise the child could inherit the linker's lock in locked state.
void mt_stack_fork_begins(void);
void mt_stack_fork_over(void);

// Records the stack of a call that is about to begin. frame is the frame of the function that the program called.
// metal is false for a wait outside of Metal. Returns the end of the stack's record, which is the tick at which the
// call begins.
uint64_t mt_stack_record(struct thread *t, uintptr_t frame, bool metal);

// Returns the tick at which a Metal call begins; records its stack before, if stacks of this call are recorded.
static inline uint64_t mt_stack_begin(struct thread *t, unsigned call, uintptr_t frame) {
  if (__builtin_expect(t->stacks != NULL, 0) && mt_calls_with_stack[call]) return mt_stack_record(t, frame, true);
  return mt_ticks();
}

// Does the same as mt_stack_begin for a wait outside of Metal, which may be inside the program's memory allocator.
// Keeps errno.
uint64_t mt_stack_begin_wait(unsigned call, const void *frame);

// Records the stack of a wait when the wait has ended. begin is the tick at which the wait began. The stack is not
// recorded at the begin, because only the duration shows that the call was a wait.
void mt_stack_late(const void *frame, uint64_t begin);

#ifdef __APPLE__
enum { MT_STACK_BOUNDS_ALLOCATE = 0 };
#else
enum { MT_STACK_BOUNDS_ALLOCATE = 1 };
#endif

// Stores the bounds of the calling thread's stack, from low to high. Returns false if they are unknown.
bool mt_stack_bounds(uintptr_t *low, uintptr_t *high);
#endif
