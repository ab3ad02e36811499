// GPU times: a completion handler of our own on every command buffer that is committed.
#ifndef MTRACE_COMPLETION_H
#define MTRACE_COMPLETION_H
#include "hook/objc.h"

// Adds the handler. Called inside the outermost commit, before the original: afterwards Metal aborts the program.
struct thread;
void mt_completion_watch(struct thread *t, id command_buffer);

// A command buffer that has completed, as features are notified of it, on the thread that calls its handlers.
struct mt_completed {
  uint32_t number;     // the command buffer's
  uint64_t at;         // the tick at which its handler ran
  uint64_t start, end; // its GPU times in nanoseconds, 0 when not known
  id command_buffer;   // or what a wrapper wraps
  const struct completion_methods *methods;
};

// Its device; NULL when it does not tell.
id mt_completed_device(const struct mt_completed *completed);

// Can a handler be added to command buffers of a class?
struct class_entry;
bool mt_completion_can_watch(const struct class_entry *class);

// Looks up the methods of a class of command buffers that the handler uses: the class's own, not our trampolines.
void mt_completion_see(unsigned slot, Class class, unsigned family);

// Makes the handler's block, if there is a blocks runtime.
void mt_completion_start(void);
#endif
