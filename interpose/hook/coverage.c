// Counts command buffers that the hooks have missed (coverage.h). A choke point is a method of the queue that Metal
// itself calls for every command buffer, however the program committed it: through a hooked method, a private method,
// an implementation that was looked up before the hook was installed, or a class that the tracer never saw. Rule: the
// hook of a choke point only counts and writes no record.
#include "hook/coverage.h"
#include "hook/canary.h"
#include "hook/classes.h"
#include "core/identity.h"

struct mt_audits mt_audits[MT_THREADS];
void mt_audit_open(struct thread *t) { mt_audits[t->index] = (struct mt_audits){0}; }

// Enters a choke point (a method that Metal calls for each command buffer). If the method of a class calls super,
// only the outermost of these calls counts. A call for another command buffer inside it does count, because a
// completion handler may commit.
void mt_audit_enter(struct audit *a, unsigned which, id command_buffer, uintptr_t frame) {
  struct thread *t = mt_thread_get();
  a->thread = t == MT_THREAD_GONE ? NULL : mt_thread();
  if (!a->thread) return;
  struct choke *choke = &mt_audits[a->thread->index].chokes[which];
  a->before = *choke;
  a->handled = mt_audits[a->thread->index].handled;
  a->number = mt_identity_of(command_buffer);
  if ((choke->frame > frame && choke->command_buffer == command_buffer) || a->number == MT_TRACERS_OWN) {
    a->thread = NULL;
    return;
  }
  *choke = (struct choke){frame, command_buffer};
  // Count a completion before the original method runs. The original wakes the threads that wait for the command
  // buffer, and they may end the process before it returns.
  if (which == MT_CHOKE_COMPLETION && !mt_canary_has(a->number)) mt_tally(&a->thread->ring->completions);
}

void mt_audit_commit(struct audit *a, id queue, id command_buffer) {
  struct thread *t = a->thread;
  if (!t) return;
  mt_audits[t->index].chokes[MT_CHOKE_COMMIT] = a->before;
  if (mt_canary_has(a->number)) {
    mt_canary_seen(t, MT_CALL_queue_commitCommandBuffer_wake_);
    return;
  }
  const struct inside *inside = &t->inside[MT_FAMILY_commandBuffer];
  bool seen = inside->frame && inside->current == (a->number | (uint64_t)MT_CALL_commandBuffer_commit << 32);
  mt_tally(&t->ring->commits);
  if (seen) return;
  mt_tally(&t->ring->commits_missed);
  mt_class_missed(t, objc_class_of(queue), MT_FAMILY_queue);
  mt_class_missed(t, objc_class_of(command_buffer), MT_FAMILY_commandBuffer);
}

void mt_audit_completion(struct audit *a, id queue, id command_buffer) {
  struct thread *t = a->thread;
  if (!t) return;
  mt_audits[t->index].chokes[MT_CHOKE_COMPLETION] = a->before;
  if (mt_canary_has(a->number)) return;
  if (mt_audits[t->index].handled == a->handled) mt_tally(&t->ring->completions_missed);
}
