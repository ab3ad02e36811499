// interpose_darwin.c: each function of Metal's that makes devices is recorded, with what it returned. A process in which a driver was loaded and
// nothing recorded says so at its end; one that has none says nothing.
//
//   metal functions | metal behind | metal none
#include <string.h>
#include "hook/interpose.h"
#include "hook/metal.h"
#include "check.h"
#include "fakes.h"

extern void *MTLCopyAllDevices(void), *MTLCopyAllDevicesWithObserver(void **observer, void *handler);

static struct mach_header_64 nothing;
static void load(const char *path) { mac_image_load(&(struct mac_image){&nothing, 0, path, NULL}); }

static void functions(void) {
  static const unsigned calls[] = {MT_CALL_function_MTLCreateSystemDefaultDevice, MT_CALL_function_MTLCopyAllDevices, MT_CALL_function_MTLCopyAllDevicesWithObserver};
  void *observer = NULL;
  int handler;
  CHECK(MTLCreateSystemDefaultDevice() && MTLCopyAllDevices() && MTLCopyAllDevicesWithObserver(&observer, &handler));
  CHECK(observer == &handler); // the program's arguments reach the original
  struct thread *t = mt_thread();
  unsigned found = 0;
  for (uint64_t i = 0; i < t->head; i++) {
    const struct record *r = mt_ring_slot(t->ring, i);
    for (unsigned f = 0; f < 3; f++) found += r->call == calls[f] && !(r->flags & MT_FLAG_FAILED) && r->end >= r->begin ? 1u << 8 * f : 0;
  }
  CHECK(found == 0x010101); // each once
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  CHECK(mt_metal_there() && !mt_driver_loaded());
  load("/usr/lib/libMTLSomething.dylib"), load(NULL), load("/System/Library/Extensions/AppleUSBAudio.kext/Contents/MacOS/AppleUSBAudio");
  CHECK(!mt_driver_loaded());
  if (strcmp(argv[1], "functions") == 0) functions();
  if (strcmp(argv[1], "behind") == 0) load("/System/Library/Extensions/AGXMetalG13X.bundle/Contents/MacOS/AGXMetalG13X");
  CHECK(mt_driver_loaded() == (strcmp(argv[1], "behind") == 0));
  puts("ok");
  return 0;
}
