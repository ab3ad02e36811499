// layers.c: the frameworks whose calls are layers are looked for when classes were loaded, and not before every fence,
// library or command buffer: a look takes the lock of Apple's runtime. They are found when they come.
#include "check.h"
#include "fakes.h"
#include "hook/classes.h"
#include "hook/methods.h"

extern Class objc_allocateClassPair(Class super, const char *name, size_t extra);
extern void objc_registerClassPair(Class class);
extern bool class_addMethod(Class class, SEL selector, IMP implementation, const char *types);
extern SEL sel_registerName(const char *name);

enum { TIMES = 1000 };

typedef struct {
  Class class;
} object;
static object device, queue, fence, library, buffer, graph;

static id new_queue(id self, SEL selector) { return (void)self, (void)selector, (id)&queue; }
static id new_fence(id self, SEL selector) { return (void)self, (void)selector, (id)&fence; }
static id new_library(id self, SEL selector) { return (void)self, (void)selector, (id)&library; }
static id new_buffer(id self, SEL selector) { return (void)self, (void)selector, (id)&buffer; }
static id run_graph(id self, SEL selector, id feeds, id tensors, id operations) {
  return (void)self, (void)selector, (void)tensors, (void)operations, feeds;
}

static Class make(object *of, const char *name) { return of->class = objc_allocateClassPair(NULL, name, 0); }

static void add(Class class, const char *selector, IMP method, const char *types) {
  CHECK(class_addMethod(class, sel_registerName(selector), method, types));
}

static void call(object *of, const char *selector) {
  IMP method = mt_implementation((id)of, selector);
  CHECK(method && ((id(*)(id, SEL))method)((id)of, mt_selector(selector)));
}

// What a program does again and again.
static void work(void) {
  for (int i = 0; i < TIMES; i++) {
    call(&device, "newFence"), call(&queue, "commandBuffer");
    if (i % 100 == 0) call(&device, "newDefaultLibrary"), call(&device, "newCommandQueue");
  }
}

int main(void) {
  static const char run[] = "runWithFeeds:targetTensors:targetOperations:";
  make(&device, "MacDevice"), make(&queue, "MacQueue"), make(&fence, "MacFence"), make(&library, "MacLibrary");
  make(&buffer, "MacBuffer");
  add(device.class, "newFence", (IMP)new_fence, "@16@0:8");
  add(device.class, "newDefaultLibrary", (IMP)new_library, "@16@0:8");
  add(device.class, "newCommandQueue", (IMP)new_queue, "@16@0:8");
  add(queue.class, "commandBuffer", (IMP)new_buffer, "@16@0:8");
  object *all[] = {&device, &queue, &fence, &library, &buffer};
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++) objc_registerClassPair(all[i]->class);
  CHECK(MTLCreateSystemDefaultDevice());
  CHECK(mt_class_hook(mt_thread(), device.class, MT_FAMILY_device));
  work(); // classes are hooked as they come
  long before = mac_class_lookups;
  work();
  CHECK(mac_class_lookups == before);

  mac_load_classes(); // an image that has none of them: one look
  work();
  CHECK(mac_class_lookups > before && mac_class_lookups <= before + 5);

  Class graphs = make(&graph, "MPSGraph");
  add(graphs, run, (IMP)run_graph, "@40@0:8@16@24@32");
  objc_registerClassPair(graphs);
  mac_load_classes();
  work();
  CHECK(mt_class_find(graphs, MT_FAMILY_mpsGraph));
  before = mac_class_lookups;
  id feeds = (id)&library;
  id (*runs)(id, SEL, id, id, id) = (id(*)(id, SEL, id, id, id))mt_implementation((id)&graph, run);
  for (int i = 0; i < TIMES; i++) CHECK(runs((id)&graph, mt_selector(run), feeds, NULL, NULL) == feeds);
  work();
  CHECK(mac_class_lookups == before);
  puts("ok");
  return 0;
}
