// completion.c and memory.c: the queue on which Metal calls completion handlers has no autorelease pool. What getters
// autorelease there, called by the tracer's handler, would stay for ever.
#include "check.h"
#include "fakes.h"
#include "features/completion.h"
#include "hook/classes.h"

extern Class objc_allocateClassPair(Class super, const char *name, size_t extra);
extern void objc_registerClassPair(Class class);
extern bool class_addMethod(Class class, SEL selector, IMP implementation, const char *types);
extern SEL sel_registerName(const char *name);
extern id objc_retain(id object), objc_autorelease(id object);

enum { TIMES = 20 };

static id device, buffer, wrapper;
static void *added; // the handler
static long asked;

static id autoreleased(id object) { return asked++, objc_autorelease(objc_retain(object)); }
static id get_device(id self, SEL selector) { return (void)self, (void)selector, autoreleased(device); }
static id get_base(id self, SEL selector) { return (void)self, (void)selector, autoreleased(buffer); }
static uint64_t get_size(id self, SEL selector) { return (void)self, (void)selector, 1 << 20; }
static uint64_t get_status(id self, SEL selector) {
  enum { ENQUEUED = 1, COMPLETED = 4 };
  return (void)self, (void)selector, added ? COMPLETED : ENQUEUED;
}
static double get_time(id self, SEL selector) { return (void)self, (void)selector, 1.5; }
static void add_handler(id self, SEL selector, void *block) { (void)self, (void)selector, added = block; }

static Class make(const char *name) {
  Class class = objc_allocateClassPair(NULL, name, 0);
  CHECK(class);
  return class;
}
static void add(Class class, const char *selector, IMP method, const char *types) {
  CHECK(class_addMethod(class, sel_registerName(selector), method, types));
}

// As com.Metal.CompletionQueueDispatch calls it.
static void *completes(void *command_buffer) {
  struct block {
    void *isa;
    int flags, reserved;
    void (*invoke)(void *, id);
  } *block = added;
  for (int i = 0; i < TIMES; i++) {
    block->invoke(block, command_buffer);
    pause_ms(2); // memory is looked at once a millisecond
  }
  return NULL;
}

static void complete(id command_buffer) {
  added = NULL;
  mt_completion_watch(mt_thread(), command_buffer);
  CHECK(added);
  pthread_t thread;
  asked = 0;
  CHECK(pthread_create(&thread, NULL, completes, command_buffer) == 0 && pthread_join(thread, NULL) == 0);
  CHECK(asked >= TIMES / 2);
  CHECK(mac_objects.without_pool == 0 && mac_count_of(device) == 1 && mac_count_of(buffer) == 1);
}

int main(void) {
  Class devices = make("MacDevice"), buffers = make("MacBuffer"), wrappers = make("MacWrapper");
  add(devices, "currentAllocatedSize", (IMP)get_size, "Q16@0:8");
  static const char *const times[] = {"GPUStartTime", "GPUEndTime", "kernelStartTime", "kernelEndTime"};
  for (unsigned i = 0; i < 4; i++) add(buffers, times[i], (IMP)get_time, "d16@0:8");
  for (unsigned i = 0; i < 2; i++) {
    Class class = i ? wrappers : buffers;
    add(class, "device", (IMP)get_device, "@16@0:8");
    add(class, "status", (IMP)get_status, "Q16@0:8");
    add(class, "addCompletedHandler:", (IMP)add_handler, "v24@0:8@?16");
  }
  add(wrappers, "baseObject", (IMP)get_base, "@16@0:8");
  objc_registerClassPair(devices), objc_registerClassPair(buffers), objc_registerClassPair(wrappers);
  mac_count_objects_of(devices), mac_count_objects_of(buffers);
  device = mac_make_object_of(devices), buffer = mac_make_object_of(buffers);
  wrapper = (id)&wrappers;
  CHECK(MTLCreateSystemDefaultDevice());
  CHECK(mt_class_hook(mt_thread(), devices, MT_FAMILY_device));
  CHECK(mt_class_hook(mt_thread(), buffers, MT_FAMILY_commandBuffer));
  CHECK(mt_class_hook(mt_thread(), wrappers, MT_FAMILY_commandBuffer));
  complete(buffer);
  complete(wrapper);
  puts("ok");
  return 0;
}
