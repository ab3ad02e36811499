// Hooks Metal Performance Shaders and graphs (layers.h). No kernel class is listed by name. Every kernel's initializer
// calls the initializer of the base class, MPSKernel; its replacement, initialized_kernel, hooks the class of the new
// kernel. Hundreds of kernel classes inherit a few methods, so each method is hooked only in the class that defines
// it.
#include "features/layers.h"
#include <errno.h>
#include <string.h>
#include "hook/classes.h"
#include "hook/loads.h"
#include "core/clock.h"
#include "hook/methods.h"
#include "core/text.h"

static id (*initialize_kernel)(id, SEL, id);
static _Atomic(Class) kernel_base; // MPSKernel, once it is loaded

static id initialized_kernel(id self, SEL selector, id device) {
  struct thread *t = mt_thread_get() == MT_THREAD_GONE ? NULL : mt_thread();
  if (t) mt_class_see(t, self, MT_FAMILY_mpsKernel);
  return initialize_kernel(self, selector, device);
}

static void hook_kernels(Class base) {
  static _Atomic bool done;
  SEL selector = mt_selector("initWithDevice:");
  Class owner;
  Method method = mt_method_find(base, selector, &owner);
  atomic_store_explicit(&kernel_base, base, memory_order_release);
  if (!method || owner != base || atomic_exchange(&done, true)) return;
  initialize_kernel = (id(*)(id, SEL, id))method_getImplementation(method);
  mt_method_put(base, method, (IMP)initialized_kernel);
}

void mt_layers_look(struct thread *t) {
  static const struct {
    const char *name;
    unsigned family;
  } classes[] = {{"MPSGraph", MT_FAMILY_mpsGraph},
                 {"MPSGraphExecutable", MT_FAMILY_mpsGraph},
                 {"MPSCommandBuffer", MT_FAMILY_mpsCommandBuffer},
                 {"CAMetalLayer", MT_FAMILY_layer}};
  enum { CLASSES = sizeof classes / sizeof *classes, ALL = (1 << (CLASSES + 1)) - 1 };
  static _Atomic unsigned found;
  static _Atomic uint64_t looked;
  unsigned have = atomic_load_explicit(&found, memory_order_relaxed);
  uint64_t loads = have == ALL ? 0 : mt_loads();
  if (have == ALL || atomic_exchange_explicit(&looked, loads, memory_order_relaxed) == loads) return;
  int saved = errno;
  Class kernels = have & 1 ? NULL : objc_lookUpClass("MPSKernel");
  if (kernels) {
    hook_kernels(kernels);
    have |= 1;
  }
  for (unsigned i = 0; i < CLASSES; i++) {
    Class class = have & 2u << i ? NULL : objc_lookUpClass(classes[i].name);
    if (!class) continue;
    mt_class_hook(t, class, classes[i].family);
    have |= 2u << i;
  }
  atomic_fetch_or_explicit(&found, have, memory_order_relaxed);
  errno = saved;
}

void mt_layer_begin(struct thread *t, id self) {
  int saved = errno;
  Class class = objc_class_of(self), kernel = atomic_load_explicit(&kernel_base, memory_order_acquire);
  bool is_kernel = false;
  for (Class c = class; kernel && c && !is_kernel; c = class_getSuperclass(c)) is_kernel = c == kernel;
  const char *name = class_getName(class);
  uint64_t now = mt_ticks();
  struct record record = {.begin = now, .end = now, .object = is_kernel ? 0 : 1, .call = MT_CALL_tracer_layer};
  record.arg = mt_text(t, name, strlen(name));
  mt_thread_publish(t, &record, 1);
  errno = saved;
}
