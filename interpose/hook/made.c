// Handles objects that calls return. Rule: an object's class is hooked and its number assigned before the program
// gets the object; otherwise another thread could call it unrecorded.
#include "core/feature.h"
#include "core/thread.h"
#include "hook/canary.h"
#include "hook/classes.h"
#include "hook/hooks.h"
#include "core/identity.h"

// The maximum number of wrappers around one object that the tracer looks through. Metal has at most three layers
// (validation, capture, driver).
enum { MOST_LAYERS = 4 };

// A thread looks for newly loaded frameworks after this many command buffers.
enum { LOOK_EVERY = 256 };

static void alias(struct thread *t, const void *object, uint32_t number) {
  if (t->canary) mt_canary_keep(object);
  mt_identity_alias(object, number);
}

void mt_made_layers(struct thread *t, unsigned family, id object, uint32_t number) {
  for (int i = 0; i < MOST_LAYERS && object; i++) {
    id inner = mt_wrapped_by(object, family);
    if (!inner || inner == object) return;
    mt_class_see(t, inner, family);
    alias(t, inner, number);
    object = inner;
  }
}

// Gives a new object its number in the cases that are not simple: the object may be a wrapper, its class may be new,
// or the call is part of the self-check. If further objects of the class need only a number, remembers the class.
static uint32_t made_otherwise(struct thread *t, unsigned family, id object) {
  const struct class_entry *class = mt_class_see(t, object, family);
  uint32_t number = t->canary ? mt_canary_number() : mt_identity_new(t, object);
  if (t->canary) alias(t, object, number);
  for (unsigned i = 0; i < t->made_inside_count; i++)
    if (t->made_inside[i].family == family && t->made_inside[i].object != object) alias(t, t->made_inside[i].object,
        number);
  if (class && class->base) mt_made_layers(t, family, object, number);
  t->plain[family] = class && !class->base && !t->canary ? objc_class_of(object) : NULL;
  return number;
}

// Returns true if inner calls created nothing, or only the object that the outer call returns. If they created
// another object, the returned one may be a wrapper around it.
static bool only(const struct thread *t, id object) {
  return t->made_inside_count == 0 || (t->made_inside_count == 1 && t->made_inside[0].object == object);
}

// Returns whether it is time to look for newly loaded frameworks (features/layers.h). A framework that has just been
// loaded first creates libraries and pipelines for its kernels and a queue, so the tracer looks when these are
// created.
static bool look_is_due(struct thread *t, unsigned family) {
  if (family == MT_FAMILY_commandBuffer) return ++t->command_buffers % LOOK_EVERY == 0;
  return family == MT_FAMILY_queue || family == MT_FAMILY_library || family == MT_FAMILY_pipeline;
}

uint32_t mt_made(struct thread *t, unsigned family, id object) {
  if (!object) return 0;
  bool plain = objc_class_of(object) == t->plain[family] && only(t, object) && !t->canary;
  uint32_t number = __builtin_expect(plain, 1) ? mt_identity_new(t, object) : made_otherwise(t, family, object);
  if (look_is_due(t, family)) MT_FEATURES(look, t);
  return number;
}

void mt_made_inside(unsigned family, id object) {
  struct thread *t = mt_thread();
  if (!t || !object || t->made_inside_count == sizeof t->made_inside / sizeof *t->made_inside) return;
  t->made_inside[t->made_inside_count++] = (struct made_inside){object, family};
}
