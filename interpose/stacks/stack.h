// The stacks of calls, when they are requested: MTRACE_STACKS=native,python. See collector/wire/stack.go for the
// record.
//
// Rule: the calling thread reads its own stack: the frames that frame pointers link together between the frame of the
// trampoline and the end of the thread's own stack, and nothing beyond. Code without frame pointers ends the chain. On
// a stack that is not the thread's (a coroutine's, a signal handler's) only the caller is recorded. There is no lock,
// no system call, no allocation, except that at a thread's first Metal call the C library is asked for the stack's
// bounds, for which it allocates.
//
// The frames of a stack go to the collector once per thread; after that only the StackID is sent: see text.h, which
// does the same for texts.
#ifndef MTRACE_STACK_H
#define MTRACE_STACK_H
#include "core/clock.h"
#include "core/thread.h"

enum { MT_STACKS_NATIVE = 1, MT_STACKS_PYTHON = 2 };

extern unsigned mt_stacks; // the requested stacks; constant once calls are recorded
extern const uint8_t mt_calls_with_stack[MT_CALL_COUNT];

// Reads what is requested.
void mt_stack_start(void);

// Gives a thread that has taken a ring its memory for stacks, if stacks are recorded.
void mt_stack_open(struct thread *t);

// Sends the data that is needed to read stacks, if they are recorded: the images, and a warning about an unknown
// Python.
void mt_stack_say(void);

// Around a fork: see images.h.
void mt_stack_fork_begins(void);
void mt_stack_fork_over(void);

// Records the stack of a call that is about to begin, from the frame of the function that the program called. Returns
// the tick at which the call begins: the stack record's end.
uint64_t mt_stack_record(struct thread *t, uintptr_t frame, bool metal);

// The tick at which a Metal call begins.
static inline uint64_t mt_stack_begin(struct thread *t, unsigned call, uintptr_t frame) {
  if (__builtin_expect(t->stacks != NULL, 0) && mt_calls_with_stack[call]) return mt_stack_record(t, frame, true);
  return mt_ticks();
}

// The same for a wait outside of Metal, which may be inside the program's memory allocator. Keeps errno.
uint64_t mt_stack_begin_wait(unsigned call, const void *frame);

// Records the stack of a wait that began at the given tick and has only now turned out to be a wait.
void mt_stack_late(const void *frame, uint64_t begin);

#ifdef __APPLE__
enum { MT_STACK_BOUNDS_ALLOCATE = 0 };
#else
enum { MT_STACK_BOUNDS_ALLOCATE = 1 };
#endif

// The bounds of the calling thread's stack, from low to high. Returns false if they are not known.
bool mt_stack_bounds(uintptr_t *low, uintptr_t *high);
#endif
