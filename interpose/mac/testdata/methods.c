// methods_darwin.c and what objc.c is on Apple's runtime: a method is found where it is, and put into one class, without a message to that: neither
// +initialize nor a resolver of methods runs.
#include "hook/methods.h"
#include "check.h"

extern Class objc_allocateClassPair(Class super, const char *name, size_t extra);
extern void objc_registerClassPair(Class class);
extern bool class_addMethod(Class class, SEL selector, IMP implementation, const char *types);
extern SEL sel_registerName(const char *name);

static int asked;
static id initialize(id self, SEL selector) { return (void)selector, asked++, self; }
static BOOL resolve(id self, SEL selector, SEL wanted) { return (void)self, (void)selector, (void)wanted, asked++, 0; }
static uint64_t one(id self, SEL selector) { return (void)self, (void)selector, 1; }
static uint64_t two(id self, SEL selector) { return (void)self, (void)selector, 2; }
static uint64_t ours(id self, SEL selector) { return (void)self, (void)selector, 3; }

static Class make(const char *name, Class super) {
  Class class = objc_allocateClassPair(super, name, 0);
  CHECK(class);
  if (!super) {
    Class meta = *(Class *)(void *)class;
    CHECK(class_addMethod(meta, sel_registerName("initialize"), (IMP)initialize, "@16@0:8"));
    CHECK(class_addMethod(meta, sel_registerName("resolveInstanceMethod:"), (IMP)resolve, "c24@0:8:16"));
    CHECK(class_addMethod(class, sel_registerName("number"), (IMP)one, "Q16@0:8"));
  }
  return class;
}

int main(void) {
  Class a = make("MacA", NULL);
  objc_registerClassPair(a);
  Class b = make("MacB", a);
  objc_registerClassPair(b);
  Class c = make("MacC", b);
  SEL number = sel_registerName("number"), none = sel_registerName("noMethodHasThis");
  CHECK(class_addMethod(c, number, (IMP)two, "Q16@0:8"));
  objc_registerClassPair(c);
  Class owner = NULL;
  CHECK(mt_methods_resolve());
  Method method = mt_method_find(b, number, &owner);
  CHECK(method && owner == a && method_getImplementation(method) == (IMP)one);
  CHECK(mt_method_find(c, number, &owner) && owner == c);
  CHECK(!mt_method_find(c, none, &owner) && !mt_method_find(NULL, number, NULL) && mt_method_find(a, number, NULL) == method);
  CHECK(asked == 0);

  // Into the class in the middle: those above and those that have their own stay as they are.
  mt_method_put(b, method, (IMP)ours);
  CHECK(asked == 0);
  CHECK(mt_method_find(b, number, &owner) && owner == b);
  CHECK(method_getImplementation(mt_method_find(a, number, NULL)) == (IMP)one);
  CHECK(method_getImplementation(mt_method_find(c, number, NULL)) == (IMP)two);
  mt_method_put(c, mt_method_find(c, number, NULL), (IMP)ours);

  struct {
    Class class;
  } made[] = {{a}, {b}, {c}};
  id objects[] = {(id)&made[0], (id)&made[1], (id)&made[2]};
  CHECK(mt_send_integer(objects[0], "number") == 1 && mt_send_integer(objects[1], "number") == 3 && mt_send_integer(objects[2], "number") == 3);
  CHECK(!mt_implementation(objects[0], "noMethodHasThis") && mt_send_id(objects[0], "noMethodHasThis") == NULL); // and not what forwards messages
  CHECK(!mt_implementation(NULL, "number") && mt_send_integer(NULL, "number") == 0);
  void *outer = mt_pool_push(), *inner = mt_pool_push();
  CHECK(outer && inner && outer != inner);
  mt_pool_pop(inner), mt_pool_pop(outer), mt_pool_pop(NULL);
  puts("ok");
  return 0;
}
