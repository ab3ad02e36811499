// GPU times: a completion handler of the tracer on every command buffer that is committed.
#ifndef MTRACE_COMPLETION_H
#define MTRACE_COMPLETION_H
#include "hook/objc.h"

// Adds the handler. Called inside the outermost commit, before the original: Metal aborts the program if it is called
// afterwards.
struct thread;
void mt_completion_watch(struct thread *t, id command_buffer);

// A completed command buffer, as features receive it, on the thread that runs its handlers.
struct mt_completed {
  uint32_t number;     // the command buffer's
  uint64_t at;         // the tick at which its handler ran
  uint64_t start, end; // its GPU times in nanoseconds, 0 when not known
  id command_buffer;   // the command buffer, or the one that a wrapper wraps
  const struct completion_methods *methods;
};

// The device of a completed command buffer; NULL if it is not known.
id mt_completed_device(const struct mt_completed *completed);

// Can a handler be added to command buffers of this class?
struct class_entry;
bool mt_completion_can_watch(const struct class_entry *class);

// Looks up the methods that the handler uses on a class of command buffers: the class's own, not the tracer's
// trampolines.
void mt_completion_see(unsigned slot, Class class, unsigned family);

// Creates the handler's block, if there is a blocks runtime.
void mt_completion_start(void);
#endif
