// GPU times: adds a completion handler of the tracer to every command buffer that is committed.
#ifndef MTRACE_COMPLETION_H
#define MTRACE_COMPLETION_H
#include "hook/objc.h"

// Adds the tracer's completion handler to a command buffer. Call it inside the outermost commit, before the original:
// Metal aborts the program if a handler is added after the commit.
struct thread;
void mt_completion_watch(struct thread *t, id command_buffer);

// A completed command buffer, as passed to the features (feature.h). The features are called on the thread that runs
// the completion handlers.
struct mt_completed {
  uint32_t number;     // the command buffer's object number
  uint64_t at;         // when the tracer's completion handler ran, in ticks
  uint64_t start, end; // the command buffer's GPU times in nanoseconds, 0 when not known
  id command_buffer;   // the command buffer, or the one that a wrapper wraps
  const struct completion_methods *methods;
};

// Returns the device of a completed command buffer; NULL if it is unknown.
id mt_completed_device(const struct mt_completed *completed);

// Returns whether a handler can be added to command buffers of this class.
struct class_entry;
bool mt_completion_can_watch(const struct class_entry *class);

// Looks up, for a class of command buffers, the methods that the handler calls: Metal's own, not the tracer's hooks,
// which would record those calls.
void mt_completion_see(unsigned slot, Class class, unsigned family);

// Prepares the handler's block. Without a blocks runtime there is no handler, and no GPU times.
void mt_completion_start(void);
#endif
