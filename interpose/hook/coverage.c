// See coverage.h. A choke point is a method of the queue that Metal sends itself for each command buffer, whoever committed it and
// however: through a method that is hooked, a private one, an implementation looked up before there was a hook, or a class nobody
// has seen. Rule: a choke point only counts, it makes no record.
#include "hook/coverage.h"
#include <pthread.h>
#include <string.h>
#include "hook/canary.h"
#include "hook/classes.h"
#include "core/identity.h"
#include "waits/locks.h"
#include "core/text.h"

// Like a span: the outermost of a chain of super calls for one command buffer counts. A handler may commit another one in between.
void mt_audit_enter(struct audit *a, unsigned which, id command_buffer, uintptr_t frame) {
  struct thread *t = mt_thread_get();
  a->thread = t == MT_THREAD_GONE ? NULL : mt_thread();
  if (!a->thread) return;
  struct choke *choke = &a->thread->chokes[which];
  a->before = *choke;
  a->handled = a->thread->handled;
  a->number = mt_identity_of(command_buffer);
  if ((choke->frame > frame && choke->command_buffer == command_buffer) || a->number == MT_SAMPLES_TEST) {
    a->thread = NULL;
    return;
  }
  *choke = (struct choke){frame, command_buffer};
  // Whoever waits for the command buffer is woken inside, and may end the process before this returns.
  if (which == MT_CHOKE_COMPLETION && !mt_canary_has(a->number)) mt_tally(&a->thread->ring->completions);
}

void mt_audit_commit(struct audit *a, id queue, id command_buffer) {
  struct thread *t = a->thread;
  if (!t) return;
  t->chokes[MT_CHOKE_COMMIT] = a->before;
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
  t->chokes[MT_CHOKE_COMPLETION] = a->before;
  if (mt_canary_has(a->number)) return;
  if (t->handled == a->handled) mt_tally(&t->ring->completions_missed);
}

void mt_class_missed(struct thread *t, Class class, unsigned family) {
  enum { MOST = 64 };
  static struct {
    Class class;
    unsigned family;
  } told[MOST];
  static unsigned count;
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  if (!class || mt_class_find(class, family)) return;
  mt_own_lock(&mutex);
  unsigned i = 0;
  while (i < count && !(told[i].class == class && told[i].family == family)) i++;
  bool new = i == count && count < MOST;
  if (new) {
    told[count].class = class;
    told[count++].family = family;
  }
  mt_own_unlock(&mutex);
  const char *name = class_getName(class);
  if (new) mt_fact(t, MT_FACT_UNHOOKED, family, 0, name, strlen(name));
}
