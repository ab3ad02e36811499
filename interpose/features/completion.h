// GPU times: a completion handler of our own on every command buffer that is committed.
#ifndef MTRACE_COMPLETION_H
#define MTRACE_COMPLETION_H
#include "hook/objc.h"

// Adds the handler. Called inside the outermost commit, before the original: afterwards Metal aborts the program.
struct thread;
void mt_completion_watch(struct thread *t, id command_buffer);

// The methods of a command buffer that the handler and mt_completion_watch use, looked up when its class is hooked.
struct completion_methods {
  void (*add_handler)(id, SEL, void *);
  uint64_t (*status)(id, SEL);
  double (*times[4])(id, SEL); // GPUStartTime, GPUEndTime, kernelStartTime, kernelEndTime
  id (*error)(id, SEL);
  id (*device)(id, SEL);
};

// Looks the methods up: the class's own, not our trampolines.
void mt_completion_resolve(struct completion_methods *methods, Class class);

// Makes the handler's block, if there is a blocks runtime.
void mt_completion_start(void);
#endif
