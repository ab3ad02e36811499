// Coverage: finds out whether the hooks have missed command buffers. It compares the recorded calls with the number
// of command buffers that passed Metal's choke points (methods that Metal calls for each one).
//
// Rule: each counter belongs to one thread, and only that thread writes it, with a plain load and store. The counters
// are in the header of the thread's ring (its buffer of records in shared memory). So the collector can read them at
// any time, even after the process has died.
#ifndef MTRACE_COVERAGE_H
#define MTRACE_COVERAGE_H
#include "hook/objc.h"
#include "core/thread.h"

enum mt_choke { MT_CHOKE_COMMIT, MT_CHOKE_COMPLETION, MT_CHOKES };
struct choke {
  uintptr_t frame; // the frame of the outermost choke point in progress, 0 when there is none
  const void *command_buffer;
};

// For each thread, by its index: the choke points (methods that Metal calls for each command buffer) that it is inside,
// and a counter.
extern struct mt_audits {
  struct choke chokes[MT_CHOKES];
  uint64_t handled; // number of completion handlers of the tracer that ran on this thread
} __attribute__((aligned(128))) mt_audits[MT_THREADS];

// Called when a thread has taken a ring (a buffer for its records). The thread is not inside a choke point (a method
// that Metal calls for each command buffer), even if the thread that had the ring before was.
void mt_audit_open(struct thread *t);

// One pass of a command buffer through a choke point (a method that Metal calls for each command buffer), from entry
// to return.
struct audit {
  struct thread *thread; // NULL if this pass is not counted
  struct choke before;
  uint64_t handled;
  uint32_t number; // the command buffer's number, read before its waiters can wake and release it
};

// Begins one pass through a choke point, in the hook of that method. `which` is the choke point (enum mt_choke); frame
// is the frame address of the hook. If the thread is already in a pass for the same command buffer, which has a higher
// frame address, this pass is not counted: the method of a class has called super.
void mt_audit_enter(struct audit *a, unsigned which, id command_buffer, uintptr_t frame);

// Called when a queue's commitCommandBuffer:wake: has returned; every kind of commit calls that method. Counts the
// commit. If no hooked commit is in progress on this thread, also counts it as missed.
void mt_audit_commit(struct audit *a, id queue, id command_buffer);

// Called when a queue's commandBufferDidComplete:… has returned and the completion handlers have run: counts the
// completion as missed if the tracer's handler was not among them.
void mt_audit_completion(struct audit *a, id queue, id command_buffer);
#endif
