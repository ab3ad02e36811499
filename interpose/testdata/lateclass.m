// A graph whose class is in a library that is loaded when Metal has long been in use, and that programs have sent nothing yet. `lateclass LIBRARY`
// makes command buffers until the tracer must have looked for such classes, and says whether the class was initialized before its first
// message and after it.
#include "shapes.h"

#ifdef LIBRARY
int initialized;

@interface MPSGraph : Root
- (id)init;
- (id)runWithMTLCommandQueue:(id)queue feeds:(id)feeds targetTensors:(id)tensors targetOperations:(id)operations;
@end
@implementation MPSGraph
+ (id)initialize {
  if (self == (id)objc_getClass("MPSGraph")) initialized++;
  return self;
}
- (id)init { return self; }
- (id)runWithMTLCommandQueue:(id)queue feeds:(id)feeds targetTensors:(id)tensors targetOperations:(id)operations { return nil; }
@end
#else
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  _MTLDevice *device = (_MTLDevice *)MTLCreateSystemDefaultDevice();
  _MTLCommandQueue *queue = [device newCommandQueueWithMaxCommandBufferCount:KIND_FAMILY_A];
  void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (!library) return fprintf(stderr, "%s\n", dlerror()), 2;
  const int *initialized = dlsym(library, "initialized");
  for (int i = 0; i < 600; i++) [[queue commandBuffer] commit];
  int early = *initialized;
  [[(id)objc_getClass("MPSGraph") alloc] release];
  printf("%d %d\n", early, *initialized);
  return 0;
}
#endif
