// Two ways to a device that are not a call of the program's own: the library (LIBRARY defined) makes one in its constructor, which runs
// before that of any preloaded library; the program (DISPLAY defined) takes one from
// a function that no tracer replaces.
#include <stdio.h>

typedef struct object *id;
id early_device(void);

#ifdef LIBRARY
id MTLCreateSystemDefaultDevice(void);
static id device;
__attribute__((constructor)) static void early(void) { device = MTLCreateSystemDefaultDevice(); }
id early_device(void) { return device; }
#else
id CGDirectDisplayCopyCurrentMetalDevice(unsigned display);
void *sel_registerName(const char *name);
id objc_msgSend(id self, void *selector, ...);

#ifdef DISPLAY
id early_device(void) { return CGDirectDisplayCopyCurrentMetalDevice(0); }
#endif

int main(void) {
  id device = early_device();
  id queue = objc_msgSend(device, sel_registerName("newCommandQueue"));
  id buffer = objc_msgSend(queue, sel_registerName("commandBuffer"));
  objc_msgSend(buffer, sel_registerName("commit"));
  objc_msgSend(buffer, sel_registerName("waitUntilCompleted"));
  printf("done\n");
  return 0;
}
#endif
