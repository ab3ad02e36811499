// The stacks of calls, when they are asked for: MTRACE_STACKS=native,python. See collector/wire/stack.go for what is
// recorded.
//
// Rule: a stack is what the calling thread can read of itself: the frames that frame pointers chain together between
// the frame of the trampoline and the end of the thread's own stack, and nothing beyond. Code without frame pointers
// ends the chain, and on a stack that is not the thread's (a coroutine's, a signal handler's) there is only the caller.
// No lock, no system call, no allocation; but at a thread's first Metal call the C library is asked where its stack is,
// for which it allocates.
//
// A stack goes to the collector once per thread and is then a number: see text.h, which does the same for texts.
#ifndef MTRACE_STACK_H
#define MTRACE_STACK_H
#include "core/clock.h"
#include "core/thread.h"

enum { MT_STACKS_NATIVE = 1, MT_STACKS_PYTHON = 2 };

extern unsigned mt_stacks; // which are recorded; does not change once calls are
extern const uint8_t mt_calls_with_stack[MT_CALL_COUNT];

// Reads what is requested.
void mt_stack_start(void);

// Gives a thread that has taken a ring what it needs for stacks, when they are recorded.
void mt_stack_open(struct thread *t);

// Says what stacks are read by, when they are recorded: the files of code, and whether Python is one that is known.
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

// The same for a wait for something else, which may be inside the program's memory allocator. Keeps errno.
uint64_t mt_stack_begin_wait(unsigned call, const void *frame);

// Records the stack of a wait that began at the given tick, and has turned out to be one only now.
void mt_stack_late(const void *frame, uint64_t begin);

#ifdef __APPLE__
enum { MT_STACK_BOUNDS_ALLOCATE = 0 };
#else
enum { MT_STACK_BOUNDS_ALLOCATE = 1 };
#endif

// Where the calling thread's stack lies, from low to high. False when that is not known.
bool mt_stack_bounds(uintptr_t *low, uintptr_t *high);
#endif
