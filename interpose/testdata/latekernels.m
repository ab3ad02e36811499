// Kernels of Metal Performance Shaders in a library that is loaded when Metal has long been in use. `latekernels LIBRARY` makes one at once,
// encodes it into 600 command buffers, and from the 300th on another one of another class as well; it says how often it encoded each.
#include "shapes.h"

#ifdef LIBRARY
@interface MPSKernel : Root
- (id)initWithDevice:(id)device;
@end
@implementation MPSKernel
- (id)initWithDevice:(id)device { return self; }
@end
#define KERNEL(name) \
  @interface name : MPSKernel \
  @end \
  @implementation name \
  - (void)encodeToCommandBuffer:(id)buffer inputMatrix:(id)input resultMatrix:(id)result { [[(_MTLCommandBuffer *)buffer computeCommandEncoder] endEncoding]; } \
  @end
KERNEL(EarlyKernel)
KERNEL(LateKernel)
#else
#include <dlfcn.h>
#include <objc/runtime.h>
#include <stdio.h>

@interface Kernel : Root
+ (id)alloc;
- (id)initWithDevice:(id)device;
- (void)encodeToCommandBuffer:(id)buffer inputMatrix:(id)input resultMatrix:(id)result;
@end
@implementation Kernel
- (id)initWithDevice:(id)device { return self; }
- (void)encodeToCommandBuffer:(id)buffer inputMatrix:(id)input resultMatrix:(id)result {}
@end

static Kernel *kernel(const char *name, id device) { return [[(Class)objc_getClass(name) alloc] initWithDevice:device]; }

int main(int argc, char **argv) {
  _MTLDevice *device = (_MTLDevice *)MTLCreateSystemDefaultDevice();
  _MTLCommandQueue *queue = [device newCommandQueueWithMaxCommandBufferCount:KIND_FAMILY_A];
  if (argc != 2 || !dlopen(argv[1], RTLD_NOW)) return fprintf(stderr, "%s\n", dlerror()), 2;
  Kernel *early = kernel("EarlyKernel", device), *late = nil;
  int encoded[2] = {0, 0};
  for (int i = 0; i < 600; i++) {
    _MTLCommandBuffer *buffer = [queue commandBuffer];
    [early encodeToCommandBuffer:buffer inputMatrix:nil resultMatrix:nil], encoded[0]++;
    if (i == 300) late = kernel("LateKernel", device);
    if (late) [late encodeToCommandBuffer:buffer inputMatrix:nil resultMatrix:nil], encoded[1]++;
    [buffer commit];
  }
  printf("EarlyKernel %d LateKernel %d\n", encoded[0], encoded[1]);
  return 0;
}
#endif
