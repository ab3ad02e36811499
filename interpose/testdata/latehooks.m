// Threads that send messages to objects of classes that the tracer comes to hook meanwhile. `latehooks THREADS` has sixteen classes of encoders
// and a class below each; every thread sends to one object of each, and checks each answer, while the main thread lets command
// buffers return one encoder of a class after another.
#include "shapes.h"
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { CLASSES = 16, OBJECTS = 2 * CLASSES, PROBES = 64 };

// Probes fill two buckets of a dispatch table, so that a word written over in any of them is met.
#define EIGHT(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define ALL(X) EIGHT(X, 0) EIGHT(X, 01) EIGHT(X, 02) EIGHT(X, 03) EIGHT(X, 04) EIGHT(X, 05) EIGHT(X, 06) EIGHT(X, 07)

@interface LateEncoder : ShapesEncoder
@end
@implementation LateEncoder
#define PROBE(n) - (long)probe##n { return n; }
ALL(PROBE)
- (void)insertDebugSignpost:(id)text {}
- (void)pushDebugGroup:(id)text {}
- (void)popDebugGroup {}
- (void)updateFence:(id)fence {}
- (void)waitForFence:(id)fence {}
- (void)useHeap:(id)heap {}
- (void)useResource:(id)resource usage:(NSUInteger)usage {}
- (void)memoryBarrierWithScope:(NSUInteger)scope {}
- (void)setPipelineState:(id)state {}
@end

static id next;
@interface LateCommandBuffer : _MTLCommandBuffer
@end
@implementation LateCommandBuffer
- (id)computeCommandEncoderWithDispatchType:(NSUInteger)type { return next; }
@end
@interface LateQueue : _MTLCommandQueue
@end
@implementation LateQueue
- (id)commandBuffer { return [LateCommandBuffer alloc]; }
@end
@implementation ShapesDevice (Late)
- (id)newCommandQueue { return [LateQueue alloc]; }
@end

static id objects[OBJECTS];
static int ready, stop;

static void *reader(void *unused) {
  __atomic_fetch_add(&ready, 1, __ATOMIC_RELAXED);
  while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
    for (int i = 0; i < OBJECTS; i++) {
      LateEncoder *to = objects[i];
      long answers = 0, right = 0;
#define ASK(n) answers += [to probe##n] * (n + 3L), right += n * (n + 3L);
      ALL(ASK)
      if (answers != right) abort();
    }
  }
  return NULL;
}

static id object_of(Class super, const char *kind, int i) {
  char name[32];
  snprintf(name, sizeof name, "%s%d", kind, i);
  Class class = objc_allocateClassPair(super, name, 0);
  objc_registerClassPair(class);
  return [(id)class alloc];
}

int main(int argc, char **argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 8;
  for (int i = 0; i < CLASSES; i++) {
    objects[i] = object_of((Class)objc_getClass("LateEncoder"), "Late", i);
    objects[CLASSES + i] = object_of(object_getClass(objects[i]), "Below", i);
  }
  pthread_t ids[threads];
  for (int i = 0; i < threads; i++) pthread_create(&ids[i], NULL, reader, NULL);
  while (__atomic_load_n(&ready, __ATOMIC_RELAXED) < threads) sched_yield();
  _MTLCommandQueue *queue = [(_MTLDevice *)MTLCreateSystemDefaultDevice() newCommandQueue];
  for (int i = 0; i < CLASSES; i++) {
    _MTLCommandBuffer *buffer = [queue commandBuffer];
    next = objects[i];
    [[buffer computeCommandEncoder] endEncoding];
    [buffer commit];
    sched_yield();
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
  puts("ok");
  return 0;
}
