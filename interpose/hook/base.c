// Finds devices that were created without a replaced function (base.h). On Apple's chips the system's frameworks call
// each other by direct branches inside the shared cache, which dyld's interposing does not change. So Core ML, Core
// Image and MPS create devices without calling the functions that the library replaces. Rule: every new device passes
// the initializer of its base class in Metal; the hook of that initializer hooks the device's class.
//
// The initializer's hook sends no message to the unfinished object; facts about the device are read when it creates
// its first queue. A device that a replaced function creates is handled by that function instead. Command buffers
// also pass an initializer that is hooked. So they are traced even if their queue was created unseen or its class is
// not hooked.
#include "hook/base.h"
#include "hook/classes.h"
#include "hook/devices.h"
#include "hook/install.h"
#include "hook/metal.h"
#include "hook/methods.h"
#include "core/process.h"
#include "hook/skip.h"
#include "core/session.h"
#include "core/state.h"
#include "core/thread.h"

static id (*initialize_device)(id, SEL);
static id (*initialize_queue)(id, SEL, id, NSUInteger);
static id (*initialize_queue_by)(id, SEL, id, id);
static id (*initialize_buffer)(id, SEL, id, BOOL);
static id (*initialize_buffer_for_debugging)(id, SEL, id, BOOL, BOOL);
// set once a device was created without passing a replaced function, for instance by one of Apple's frameworks. The
// facts about such a device must be read when it creates a queue
static _Atomic bool behind;

static struct thread *own_thread(void) { return mt_thread_get() == MT_THREAD_GONE ? NULL : mt_thread(); }

static id device_made(id self, SEL selector) {
  struct thread *here = mt_thread_get();
  bool replaced = (uintptr_t)here > (uintptr_t)MT_THREAD_GONE && here->inside[MT_FAMILY_function].frame != 0;
  id made = initialize_device(self, selector);
  if (replaced || !made || !mt_activate()) return made;
  struct thread *t = own_thread();
  if (!t) return made;
  mt_class_see(t, made, MT_FAMILY_device);
  atomic_store_explicit(&behind, true, memory_order_relaxed);
  return made;
}

static void queue_made(id device) {
  struct thread *t = atomic_load_explicit(&behind, memory_order_relaxed) && device ? own_thread() : NULL;
  if (!t || t->own_work) return;
  t->own_work = true;
  mt_device_seen(t, device);
  t->own_work = false;
}

static id queue_made_with_count(id self, SEL selector, id device, NSUInteger count) {
  queue_made(device);
  return initialize_queue(self, selector, device, count);
}

static id queue_made_by_descriptor(id self, SEL selector, id device, id descriptor) {
  queue_made(device);
  return initialize_queue_by(self, selector, device, descriptor);
}

// Hooks the class of a new command buffer, unless it is hooked already. It writes no record: the call that returns
// the command buffer, or the command buffer's commit, is recorded by its own hook.
static id buffer_made(id made) {
  struct thread *t = made && mt_activate() ? own_thread() : NULL;
  if (t) mt_class_see(t, made, MT_FAMILY_commandBuffer);
  return made;
}

static id buffer_made_by_queue(id self, SEL selector, id queue, BOOL retained) {
  return buffer_made(initialize_buffer(self, selector, queue, retained));
}

static id buffer_made_for_debugging(id self, SEL selector, id queue, BOOL retained, BOOL synchronous) {
  return buffer_made(initialize_buffer_for_debugging(self, selector, queue, retained, synchronous));
}

static void hook(Class class, const char *name, void *original, IMP ours) {
  Class owner = NULL;
  Method method = class && !mt_skipped(class) ? mt_method_find(class, mt_selector(name), &owner) : NULL;
  if (!method || owner != class) return;
  *(IMP *)original = method_getImplementation(method);
  mt_method_put(class, method, ours);
}

const char *mt_methods_prepare(void) { return mt_methods_resolve() ? NULL :
    "not traced: the tracer does not support this Objective-C runtime"; }

static _Atomic bool hooked;
bool mt_base_hooked(void) { return atomic_load_explicit(&hooked, memory_order_relaxed); }

void mt_base_hook(void) {
  if (!mt_metal_there() || !mt_methods_resolve()) return;
#ifdef __linux__
  // While the constructors of libraries run, a root class may not be registered yet. Looking up another class would
  // then make GCC's runtime abort the program.
  if (!objc_lookUpClass("Object") || !objc_lookUpClass("NSObject")) return;
#endif
  Class queue = objc_lookUpClass("_MTLCommandQueue");
  if (!queue || atomic_exchange(&hooked, true)) return;
  hook(queue, "initWithDevice:maxCommandBufferCount:", &initialize_queue, (IMP)queue_made_with_count);
  hook(queue, "initWithDevice:descriptor:", &initialize_queue_by, (IMP)queue_made_by_descriptor);
  Class buffer = objc_lookUpClass("_MTLCommandBuffer");
  hook(buffer, "initWithQueue:retainedReferences:", &initialize_buffer, (IMP)buffer_made_by_queue);
  hook(buffer, "initWithQueue:retainedReferences:synchronousDebugMode:", &initialize_buffer_for_debugging,
      (IMP)buffer_made_for_debugging);
  hook(objc_lookUpClass("_MTLDevice"), "init", &initialize_device, (IMP)device_made);
}

// Runs at exit. If Metal's driver is loaded but no Metal call was seen, the program created its device in a way that
// passes no replaced function, and the trace is empty: warns the user.
__attribute__((destructor)) static void unloaded(void) {
  if (atomic_load_explicit(&mt_state, memory_order_acquire) != MT_READY || !mt_driver_loaded()) return;
  mt_session_warn(MT_UNSEEN_DEVICE,
      "a Metal device was created by a function or framework that the tracer does not replace: "
      "calls on it are not recorded");
}
