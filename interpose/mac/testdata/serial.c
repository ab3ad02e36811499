// A program whose threads share one serial queue: each encodes and commits inside dispatch_sync, as a framework with one stream does.
#include <dispatch/dispatch.h>
#include <time.h>
#include "check.h"
#include "hook/objc.h"

extern IMP objc_msg_lookup(id receiver, SEL selector);
extern SEL sel_registerName(const char *name);

static id send(id to, const char *name) {
  SEL selector = sel_registerName(name);
  return ((id(*)(id, SEL))objc_msg_lookup(to, selector))(to, selector);
}

enum { THREADS = 4, TIMES = 60, INSIDE_NANOS = 1000000, OUTSIDE_NANOS = 200000 };
static dispatch_queue_t serial;
static id queue;

static void sleep_for(long nanos) { nanosleep(&(struct timespec){0, nanos}, NULL); }

static void submit(void *nothing) {
  (void)nothing;
  id buffer = send(queue, "commandBuffer"), encoder = send(buffer, "computeCommandEncoder");
  send(encoder, "endEncoding");
  send(buffer, "commit");
  send(buffer, "waitUntilCompleted");
  sleep_for(INSIDE_NANOS);
  send(encoder, "release"), send(buffer, "release");
}
static void *runs(void *nothing) {
  for (int i = 0; i < TIMES; i++) {
    dispatch_sync_f(serial, NULL, submit);
    sleep_for(OUTSIDE_NANOS);
  }
  return nothing;
}

int main(void) {
  id device = MTLCreateSystemDefaultDevice();
  queue = send(device, "newCommandQueue");
  serial = dispatch_queue_create("com.example.stream", NULL);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, runs, NULL) == 0);
  for (int i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
  puts("ok");
  return 0;
}
