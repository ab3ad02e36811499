// See shapes.h.
#include "shapes.h"
#include <objc/runtime.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

_Thread_local void (*shapes_in_fill)(void);

// The library brings a blocks runtime, as Metal does.
extern void *_NSConcreteGlobalBlock[];
void *const shapes_blocks_runtime = _NSConcreteGlobalBlock;

// The memory of the last object to go is the next one's.
static _Thread_local Root *last;

@implementation Root
+ (id)initialize { return self; }
+ (id)alloc {
  Root *made = last && last->isa == (Class)self ? last : NULL;
  if (made) {
    last = NULL;
    memset((char *)made + sizeof(Class), 0, class_getInstanceSize((Class)self) - sizeof(Class));
  } else {
    made = class_createInstance((Class)self, 0);
  }
  made->references = 1;
  return made;
}
- (id)retain { __atomic_fetch_add(&references, 1, __ATOMIC_RELAXED); return self; }
- (void)release {
  if (__atomic_fetch_sub(&references, 1, __ATOMIC_ACQ_REL) != 1) return;
  if (last) object_dispose(last);
  last = self;
}
@end

@implementation _MTLDevice
- (id)newCommandQueue { return [self newCommandQueueWithMaxCommandBufferCount:64]; }
- (id)newCommandQueueWithMaxCommandBufferCount:(NSUInteger)count {
  _MTLCommandQueue *q = count == KIND_PASSING ? [PassedQueue alloc] : [ShapesQueue alloc];
  q->kind = count == KIND_PASSING ? KIND_PASSING : count % KIND_PASSING;
  return q;
}
- (id)newBufferWithLength:(NSUInteger)length options:(NSUInteger)options { return length ? [Root alloc] : nil; }
- (id)newSharedEvent { return [ShapesEvent alloc]; }
@end
@implementation ShapesDevice
@end

@implementation _MTLCommandQueue
- (id)commandBufferWithDescriptor:(id)descriptor { return [self commandBuffer]; }
- (id)commandBuffer { return nil; }
- (void)setLabel:(id)label {}
@end
@implementation ShapesQueue
- (id)commandBuffer {
  if (kind == KIND_FAMILY_B) return [FamilyBCommandBuffer alloc];
  if (kind == KIND_FAMILY_A) return [FamilyACommandBuffer alloc];
  kind = KIND_FAMILY_A;
  WrapperCommandBuffer *wrapper = [WrapperCommandBuffer alloc];
  wrapper->inner = [self commandBuffer]; // as the validation layer asks the queue it wraps
  kind = KIND_WRAPPER;
  return wrapper;
}
@end
@implementation PassedQueue
- (id)commandBuffer {
  PassingCommandBuffer *buffer = [PassingCommandBuffer alloc];
  buffer->queue = self;
  return buffer;
}
- (void)commitCommandBuffer:(id)buffer wake:(BOOL)wake {
  ((PassingCommandBuffer *)buffer)->status = 2;
  [self commandBufferDidComplete:buffer startTime:0 completionTime:0 error:nil];
}
- (void)commandBufferDidComplete:(id)buffer startTime:(uint64_t)start completionTime:(uint64_t)completion error:(id)error {
  [(PassingCommandBuffer *)buffer completed];
}
@end

// The clock of GPU times, in seconds as Metal has them.
static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

@implementation _MTLCommandBuffer
- (void)addCompletedHandler:(void *)block { if (status >= 2) abort(); handlers[handlerCount++] = block; }
- (void)enqueue { status = 1; }
- (void)commit {
  status = 2;
  [self completed];
}
- (void)completed {
  gpuStart = seconds();
  gpuEnd = seconds();
  for (int i = 0; i < handlerCount; i++) {
    struct { void *isa; int flags, reserved; void (*invoke)(void *, id); } *block = handlers[i];
    status = 4;
    block->invoke(block, self);
  }
}
- (void)waitUntilCompleted {}
- (id)computeCommandEncoder { return [self computeCommandEncoderWithDispatchType:0]; }
- (id)computeCommandEncoderWithDispatchType:(NSUInteger)type { return [ShapesEncoder alloc]; }
- (NSUInteger)status { return status; }
- (double)GPUStartTime { return gpuStart; }
- (double)GPUEndTime { return gpuEnd; }
@end
@implementation MiddleCommandBuffer
- (void)commit { [super commit]; }
@end
@implementation FamilyACommandBuffer
- (void)commit { [super commit]; }
- (void)enqueue { [super enqueue]; }
@end
@implementation FamilyBCommandBuffer
@end
@implementation PassingCommandBuffer
- (void)commit { [queue commitCommandBuffer:self wake:YES]; }
@end
@implementation WrapperCommandBuffer
- (void)commit { [inner commit]; [super commit]; }
- (void)waitUntilCompleted { [inner waitUntilCompleted]; }
- (id)computeCommandEncoder { return [inner computeCommandEncoder]; }
@end

@implementation ShapesEncoder
- (void)setComputePipelineState:(id)state {}
- (void)setBuffer:(id)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index {}
- (void)dispatchThreadgroups:(MTLSize)groups threadsPerThreadgroup:(MTLSize)threads {}
- (void)fillBuffer:(id)buffer range:(NSRange)range value:(uint8_t)value { if (shapes_in_fill) shapes_in_fill(); }
- (void)setLabel:(id)label {}
- (void)endEncoding {}
@end
@implementation ShapesEvent
- (BOOL)waitUntilSignaledValue:(uint64_t)value timeoutMS:(uint64_t)milliseconds { return value == 1; }
- (NSUInteger)setSignaledValue:(uint64_t)value { return value; }
@end

static ShapesDevice *device(void) {
  static ShapesDevice *the;
  static int making;
  while (!__atomic_load_n(&the, __ATOMIC_ACQUIRE))
    if (!__atomic_exchange_n(&making, 1, __ATOMIC_ACQ_REL)) __atomic_store_n(&the, [ShapesDevice alloc], __ATOMIC_RELEASE);
  return [the retain];
}
id MTLCreateSystemDefaultDevice(void) { return device(); }

@interface ShapesArray : Root
- (NSUInteger)count;
- (id)objectAtIndex:(NSUInteger)index;
@end
@implementation ShapesArray
- (NSUInteger)count { return 1; }
- (id)objectAtIndex:(NSUInteger)index { return device(); }
@end
id MTLCopyAllDevices(void) { return [ShapesArray alloc]; }
id MTLCopyAllDevicesWithObserver(id *observer, void *handler) { *observer = handler; return [ShapesArray alloc]; }
