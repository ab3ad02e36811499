// Rule: a hook changes one class and the classes that inherit from it. A method of the class itself is replaced. A
// method that the class inherits is overridden in the class: replacing it in the ancestor would also change all other
// classes below the ancestor. The original is stored before the trampoline (the function that replaces a hooked
// method) can be called. A method whose prototype differs from the table's is not hooked, because the trampoline
// would pass wrong arguments.
//
// There are two exceptions. Methods that only count (coverage.h) are also hooked in the ancestor, to see command
// buffers of queues whose creation was not seen. Kernels of Metal Performance Shaders are hooked where their methods
// are defined, because hundreds of classes inherit them.
#include "hook/install.h"
#include <string.h>
#include "hook/hooks.h"
#include "hook/methods.h"

// Returns the slot of `hook` whose trampoline (the function that replaces the hooked method) is this implementation;
// NULL if the implementation is not a trampoline of `hook`.
static struct slot *slot_of(const struct hook *hook, IMP implementation) {
  for (unsigned i = 0; i < hook->slot_count; i++)
    if (hook->trampolines[i] == implementation) return &hook->slots[i];
  return NULL;
}

IMP mt_original_of(Class class, SEL selector) {
  Method method = mt_method_find(class, selector, NULL);
  IMP found = method ? method_getImplementation(method) : NULL;
  for (unsigned i = 0; found && i < mt_hook_count; i++) {
    struct slot *slot = slot_of(&mt_hooks[i], found);
    if (slot) return atomic_load_explicit(&slot->original, memory_order_relaxed);
  }
  return found;
}

IMP mt_original(id *object, const char *selector) {
  enum { MOST_HOPS = 4 };
  SEL name = mt_selector(selector), forward = mt_selector("forwardingTargetForSelector:");
  for (int i = 0; *object && i < MOST_HOPS; i++) {
    IMP found = mt_original_of(objc_class_of(*object), name);
    if (found) return found;
    id (*target)(id, SEL, SEL) = (id(*)(id, SEL, SEL))mt_original_of(objc_class_of(*object), forward);
    *object = target ? target(*object, forward, name) : NULL;
  }
  return NULL;
}

// Returns a pointer to the text after the first type in a method's type encoding. A stack offset that follows the
// type is skipped, too.
static const char *skip_type(const char *e) {
  while (*e && strchr("rnNoORVA^j", *e)) e++;
  if (*e == '{' || *e == '(' || *e == '[') {
    int depth = 0;
    do {
      depth += strchr("{([", *e) ? 1 : strchr("})]", *e) ? -1 : 0;
      e++;
    } while (*e && depth > 0);
  } else if (*e == '@' && e[1] == '?') {
    e += 2;
  } else if (*e == '@' && e[1] == '"') {
    for (e += 2; *e && *e != '"'; e++) {
    }
    if (*e) e++;
  } else if (*e) {
    e++;
  }
  while (*e == '+' || *e == '-' || (*e >= '0' && *e <= '9')) e++;
  return e;
}

// Returns whether a method's return type and number of arguments match the hook's prototype. Nothing else is
// compared, because compilers encode struct names and sizes differently.
static bool fits(const struct hook *hook, const char *encoding) {
  if (!encoding) return false;
  while (*encoding && strchr("rnNoORV", *encoding)) encoding++;
  const char *same = hook->returns == 'B' ? "BcC" : hook->returns == 'Q' ? "QL" : (char[]){hook->returns, 0};
  bool returns = *encoding && strchr(same, *encoding);
  unsigned types = 0;
  for (const char *e = skip_type(encoding); *e; e = skip_type(e)) types++;
  return returns && types == hook->arguments + 2;
}

static bool install(const struct hook *hook, Class class, unsigned flags) {
  SEL selector = mt_selector(mt_selectors[hook->call]);
  Method method = mt_method_find(class, selector, NULL);
  if (!method) return true;
  const char *encoding = method_getTypeEncoding(method);
  if (!fits(hook, encoding)) return hook->audit;
  IMP found = method_getImplementation(method);
  // If an ancestor of this class is hooked, the implementation found is the ancestor's trampoline. Store the original
  // behind that trampoline instead, otherwise each call would be recorded twice.
  struct slot *inherited = slot_of(hook, found);
  IMP original = inherited ? atomic_load_explicit(&inherited->original, memory_order_relaxed) : found;
  for (unsigned i = 0; i < hook->slot_count; i++) {
    struct slot *slot = &hook->slots[i];
    if (atomic_load_explicit(&slot->original, memory_order_relaxed)) continue;
    slot->flags = flags;
    atomic_store_explicit(&slot->original, original, memory_order_release);
    mt_method_put(class, method, hook->trampolines[i]);
    return true;
  }
  return hook->audit;
}

static bool install_owner(const struct hook *hook, Class class) {
  SEL selector = mt_selector(mt_selectors[hook->call]);
  Class owner;
  Method method = mt_method_find(class, selector, &owner);
  return !method || slot_of(hook, method_getImplementation(method)) || install(hook, owner, 0);
}

unsigned mt_install_owners(Class class, unsigned family) {
  unsigned left_out = 0;
  for (unsigned i = 0; i < mt_hook_count; i++)
    if (mt_hooks[i].family == family && !install_owner(&mt_hooks[i], class)) left_out++;
  return left_out;
}

void mt_install_audits(Class class, unsigned family) {
  for (unsigned i = 0; i < mt_hook_count; i++) {
    if (!mt_hooks[i].audit || mt_hooks[i].family != family) continue;
    SEL selector = mt_selector(mt_selectors[mt_hooks[i].call]);
    Class root = NULL, owner;
    Method method = NULL, found;
    for (Class c = class; c && (found = mt_method_find(c, selector, &owner)); c = class_getSuperclass(owner)) root =
        owner, method = found;
    if (root && !slot_of(&mt_hooks[i], method_getImplementation(method))) install(&mt_hooks[i], root, 0);
  }
}

unsigned mt_install(Class class, unsigned family, unsigned flags) {
  unsigned left_out = 0;
  for (unsigned i = 0; i < mt_hook_count; i++)
    if (mt_hooks[i].family == family && !install(&mt_hooks[i], class, flags)) left_out++;
  return left_out;
}
