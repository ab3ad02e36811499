// A program whose stacks are known: `stacks CASE` makes Metal's calls from functions that are never inlined, in the ways that a tracer
// of stacks could trip over. It prints what it computed, so that it shows whether it was disturbed.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

typedef void *id;
typedef const void *SEL;
static id (*send)(id, SEL);
static SEL (*selector)(const char *);
static id queue, device;
static int made;

#define NOINLINE __attribute__((noinline))

static void open_metal(void) {
  void *metal = dlopen("/System/Library/Frameworks/Metal.framework/Metal", RTLD_NOW), *runtime = dlopen("/usr/lib/libobjc.dylib", RTLD_NOW);
  if (!metal || !runtime) exit(9);
  id (*create)(void) = (id(*)(void))dlsym(metal, "MTLCreateSystemDefaultDevice");
  send = (id(*)(id, SEL))dlsym(runtime, "objc_msgSend");
  selector = (SEL(*)(const char *))dlsym(runtime, "sel_registerName");
  device = create();
  queue = send(device, selector("newCommandQueue"));
}

NOINLINE id submit(void) {
  id buffer = send(queue, selector("commandBuffer"));
  id encoder = send(buffer, selector("computeCommandEncoder"));
  send(encoder, selector("endEncoding"));
  send(buffer, selector("commit"));
  made++;
  return buffer;
}
NOINLINE void drain(id buffer) {
  send(buffer, selector("waitUntilCompleted"));
  made++;
}
NOINLINE void step(void) {
  drain(submit());
  made++;
}
NOINLINE void train(void) {
  for (int i = 0; i < 3; i++) step();
  made++;
}

NOINLINE void deep(int depth) {
  if (depth > 0) {
    deep(depth - 1);
    made++;
  } else
    step();
}

// Its stack is aligned, by an amount that only the run tells, and has a part of a size that only the run tells.
NOINLINE void aligned(int size) {
  char sized[size];
  __attribute__((aligned(64))) char array[64];
  memset(sized, 0, (size_t)size), memset(array, 0, sizeof array);
  __asm__ volatile("" : : "r"(sized), "r"(array) : "memory");
  step();
  made++;
}

NOINLINE void *first(void *nothing) {
  step();
  made++;
  return nothing;
}
NOINLINE void *second(void *nothing) {
  drain(submit());
  made++;
  return nothing;
}
static void on_thread(void *(*function)(void *), size_t stack) {
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (stack) pthread_attr_setstacksize(&attributes, stack);
  if (pthread_create(&thread, &attributes, function, NULL) != 0) exit(8);
  pthread_join(thread, NULL);
}

static ucontext_t outside, inside;
NOINLINE void coroutine(void) {
  step();
  made++;
}
static void on_coroutine(void) {
  enum { SIZE = 256 << 10 };
  getcontext(&inside);
  inside.uc_stack.ss_sp = malloc(SIZE);
  inside.uc_stack.ss_size = SIZE;
  inside.uc_link = &outside;
  makecontext(&inside, coroutine, 0);
  swapcontext(&outside, &inside);
}

NOINLINE void handler(int signal) {
  (void)signal;
  step();
  made++;
}
static void on_signal_stack(void) {
  enum { SIZE = 256 << 10 };
  stack_t stack = {.ss_sp = malloc(SIZE), .ss_size = SIZE};
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  sigaltstack(&stack, NULL);
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
}

// A wait that does not end: for a value of an event that nobody gives.
NOINLINE void *wait_for_ever(void *nothing) {
  id event = send(device, selector("newSharedEvent"));
  ((uint8_t(*)(id, SEL, uint64_t, uint64_t))send)(event, selector("waitUntilSignaledValue:timeoutMS:"), 7, 3600000);
  made++;
  return nothing;
}

static NOINLINE void run(const char *which) {
  if (!strcmp(which, "plain")) train();
  if (!strcmp(which, "deep")) deep(100);
  if (!strcmp(which, "aligned")) aligned(made + 100);
  if (!strcmp(which, "threads")) on_thread(first, 0), on_thread(second, 0);
  if (!strcmp(which, "small")) on_thread(first, 128 << 10);
  if (!strcmp(which, "coroutine")) on_coroutine(), step();
  if (!strcmp(which, "signal")) step(), on_signal_stack();
  if (!strcmp(which, "killed")) step(), kill(getpid(), SIGKILL);
  if (!strcmp(which, "hung")) {
    pthread_t thread;
    pthread_create(&thread, NULL, wait_for_ever, NULL);
    usleep(200000);
    kill(getpid(), SIGKILL);
  }
}

// How many descriptors are kept that were not at first. Go's runtime, which starts beside the program, opens a file of the system's and
// closes it: on a busy machine that may take a while.
static int kept_since(int first) {
  int now = dup(0);
  for (int i = 0; i < 500 && now != first + 1; i++) {
    close(now);
    usleep(2000);
    now = dup(0);
  }
  return now - first - 1;
}

int main(int count, char **arguments) {
  int descriptor = dup(0);
  open_metal();
  run(count > 1 ? arguments[1] : "");
  printf("%d %d\n", made, kept_since(descriptor));
  return 3;
}
