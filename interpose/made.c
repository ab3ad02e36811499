// Objects as calls return them. Rule: the class is hooked and the number given before the program sees the object.
#include "classes.h"
#include "hooks.h"
#include "identity.h"
#include "thread.h"

uint32_t mt_made(struct thread *t, unsigned family, id object) {
  if (!object) return 0;
  mt_class_see(t, objc_class_of(object), family);
  uint32_t number = mt_identity_new(object);
  for (unsigned i = 0; i < t->made_inside_count; i++)
    if (t->made_inside[i].family == family && t->made_inside[i].object != object) mt_identity_alias(t->made_inside[i].object, number);
  return number;
}

void mt_made_inside(unsigned family, id object) {
  struct thread *t = mt_thread();
  if (!t || !object || t->made_inside_count == sizeof t->made_inside / sizeof *t->made_inside) return;
  t->made_inside[t->made_inside_count++] = (struct made_inside){object, family};
}
