// Coverage: compares the calls that the hooks recorded with the command buffers that passed Metal's choke points below
// the hooks.
//
// Rule: a counter belongs to one thread, and only that thread writes it: with a load and a store, without a locked
// instruction. It is in the ring's header, so an outside reader sees it at any time, also after the process has died.
#ifndef MTRACE_COVERAGE_H
#define MTRACE_COVERAGE_H
#include "hook/objc.h"
#include "core/thread.h"

enum mt_choke { MT_CHOKE_COMMIT, MT_CHOKE_COMPLETION, MT_CHOKES };
struct choke {
  uintptr_t frame; // of the outermost choke point in progress, 0 when there is none
  const void *command_buffer;
};

// The counters of a thread, by its index.
extern struct mt_audits {
  struct choke chokes[MT_CHOKES];
  uint64_t handled; // command buffers whose completion handler of the tracer ran on this thread
} __attribute__((aligned(128))) mt_audits[MT_THREADS];

// Called when a thread has taken a ring: the thread is not inside a choke point.
void mt_audit_open(struct thread *t);

// A command buffer that is passing a choke point.
struct audit {
  struct thread *thread; // NULL when it is not counted
  struct choke before;
  uint64_t handled;
  uint32_t number; // the command buffer's number, read before its waiters can wake and release it
};

// Enters a choke point, from the trampoline with the given frame.
void mt_audit_enter(struct audit *a, unsigned which, id command_buffer, uintptr_t frame);

// Called when commitCommandBuffer:wake: of a queue has returned; every kind of commit calls that method.
void mt_audit_commit(struct audit *a, id queue, id command_buffer);

// Called when commandBufferDidComplete:… of a queue has returned; the handlers have run.
void mt_audit_completion(struct audit *a, id queue, id command_buffer);
#endif
