// A library with the exported functions and class shapes of Metal, each method as short as it can be: for what the tests must make
// happen on purpose and no real Metal does on demand (exceptions, reused addresses, wrappers) and for measuring what the hooks cost.
#ifndef SHAPES_H
#define SHAPES_H
#include <objc/objc.h>
#include <objc/runtime.h>
#include <stdint.h>

typedef unsigned long NSUInteger;
typedef struct { NSUInteger width, height, depth; } MTLSize;
typedef struct { NSUInteger location, length; } NSRange;

// Every object counts its references, so that a reference too many or too few shows.
__attribute__((objc_root_class)) @interface Root { Class isa; @public long references; }
+ (id)alloc;
+ (id)initialize;
- (id)retain;
- (void)release;
@end

@interface _MTLDevice : Root
- (id)newCommandQueue;
- (id)newCommandQueueWithMaxCommandBufferCount:(NSUInteger)count;
- (id)newBufferWithLength:(NSUInteger)length options:(NSUInteger)options;
- (id)newSharedEvent;
@end
@interface ShapesDevice : _MTLDevice
@end

@interface _MTLCommandQueue : Root { @public int kind; }
- (id)commandBuffer;
- (id)commandBufferWithDescriptor:(id)descriptor;
- (void)setLabel:(id)label;
@end
@interface ShapesQueue : _MTLCommandQueue
@end

@interface PassedQueue : ShapesQueue // has the methods that every command buffer passes, as Metal's queues have
- (void)commitCommandBuffer:(id)buffer wake:(BOOL)wake;
- (void)commandBufferDidComplete:(id)buffer startTime:(uint64_t)start completionTime:(uint64_t)completion error:(id)error;
@end

@interface _MTLCommandBuffer : Root { @public int status; void *handlers[8]; int handlerCount; id inner; double gpuStart, gpuEnd; }
- (void)addCompletedHandler:(void *)block;
- (void)commit;
- (void)completed; // calls the handlers
- (void)enqueue;
- (void)waitUntilCompleted;
- (id)computeCommandEncoder;
- (id)computeCommandEncoderWithDispatchType:(NSUInteger)type;
- (NSUInteger)status;
- (double)GPUStartTime;
- (double)GPUEndTime;
@end
@interface MiddleCommandBuffer : _MTLCommandBuffer
@end
@interface FamilyACommandBuffer : MiddleCommandBuffer // calls super
@end
@interface FamilyBCommandBuffer : MiddleCommandBuffer // inherits everything
@end
@interface WrapperCommandBuffer : _MTLCommandBuffer // calls what it wraps
@end
@interface PassingCommandBuffer : MiddleCommandBuffer { @public PassedQueue *queue; }
@end

@interface ShapesEncoder : Root
- (void)setBuffer:(id)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index;
- (void)setComputePipelineState:(id)state;
- (void)dispatchThreadgroups:(MTLSize)groups threadsPerThreadgroup:(MTLSize)threads;
- (void)fillBuffer:(id)buffer range:(NSRange)range value:(uint8_t)value;
- (void)setLabel:(id)label;
- (void)endEncoding;
@end

@interface ShapesEvent : Root
- (BOOL)waitUntilSignaledValue:(uint64_t)value timeoutMS:(uint64_t)milliseconds;
- (NSUInteger)setSignaledValue:(uint64_t)value; // not the prototype of Metal: must be left alone
@end

enum { KIND_FAMILY_A, KIND_FAMILY_B, KIND_WRAPPER, KIND_PASSING };
extern _Thread_local void (*shapes_in_fill)(void); // called by fillBuffer:range:value:, may leave it by an exception or longjmp
extern id MTLCreateSystemDefaultDevice(void);
extern id MTLCopyAllDevices(void), MTLCopyAllDevicesWithObserver(id *observer, void *handler);
#endif
