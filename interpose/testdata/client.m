// A program for the tests to trace. `client SCENARIO [N]` makes known Metal calls and prints those it made, one line each:
// the system's thread id, the selector, how often. What it prints is the truth the trace is compared with.
#include "shapes.h"
#include "waiting.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <objc/objc-exception.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long n = 10;
static int argument_count;
static char **arguments;

static _Thread_local struct { const char *selector; long times; } made[32];
static void count(const char *selector, long times) {
  for (int i = 0; i < 32; i++) {
    if (made[i].selector && strcmp(made[i].selector, selector)) continue;
    made[i].selector = selector;
    made[i].times += times;
    return;
  }
}
static void tell(void) {
  char text[4096];
  int length = 0;
  for (int i = 0; i < 32 && made[i].selector; i++)
    length += snprintf(text + length, sizeof text - length, "%ld %s %ld\n", (long)syscall(SYS_gettid), made[i].selector, made[i].times);
  if (write(1, text, length) != length) _exit(99);
}

#define DEVICE() ({ count("MTLCreateSystemDefaultDevice", 1); (_MTLDevice *)MTLCreateSystemDefaultDevice(); })

static _MTLCommandQueue *queue_of_kind(_MTLDevice *device, int kind) {
  count("newCommandQueueWithMaxCommandBufferCount:", 1);
  return [device newCommandQueueWithMaxCommandBufferCount:kind];
}

// One command buffer from creation to the end of the wait: eight calls.
static void work(_MTLCommandQueue *queue) {
  _MTLCommandBuffer *buffer = [queue commandBufferWithDescriptor:nil];
  ShapesEncoder *encoder = [buffer computeCommandEncoder];
  [encoder setComputePipelineState:nil];
  [encoder dispatchThreadgroups:(MTLSize){2, 3, 4} threadsPerThreadgroup:(MTLSize){5, 6, 7}];
  [encoder endEncoding];
  [buffer enqueue];
  [buffer commit];
  [buffer waitUntilCompleted];
  count("commandBufferWithDescriptor:", 1);
  count("computeCommandEncoder", 1);
  count("setComputePipelineState:", 1);
  count("dispatchThreadgroups:threadsPerThreadgroup:", 1);
  count("endEncoding", 1);
  count("enqueue", 1);
  count("commit", 1);
  count("waitUntilCompleted", 1);
  [encoder release];
  [buffer release];
}

static void classes(void) {
  _MTLDevice *device = DEVICE();
  for (int kind = 0; kind < 3; kind++) {
    _MTLCommandQueue *queue = queue_of_kind(device, kind);
    for (long i = 0; i < n; i++) work(queue);
  }
  tell();
}

static void *worker(void *ready) {
  pthread_barrier_wait(ready);
  _MTLCommandQueue *queue = queue_of_kind(DEVICE(), KIND_FAMILY_A);
  for (long i = 0; i < n; i++) work(queue);
  tell();
  return NULL;
}
static void threads(void) {
  enum { THREADS = 16 };
  pthread_t all[THREADS];
  pthread_barrier_t ready;
  pthread_barrier_init(&ready, NULL, THREADS);
  for (int i = 0; i < THREADS; i++) pthread_create(&all[i], NULL, worker, &ready);
  for (int i = 0; i < THREADS; i++) pthread_join(all[i], NULL);
}

static void *one_shot(void *queue) {
  work(queue);
  tell();
  return NULL;
}
static void short_threads(void) {
  _MTLCommandQueue *queue = queue_of_kind(DEVICE(), KIND_FAMILY_B);
  for (long i = 0; i < n; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, one_shot, queue);
    pthread_join(thread, NULL);
  }
  tell();
}

static jmp_buf back;
static void jump(void) { longjmp(back, 1); }
static void throw(void) { @throw [Root alloc]; }
static __attribute__((noinline)) void deeper(ShapesEncoder *encoder, int depth) {
  volatile char space[256];
  space[0] = 0;
  if (depth > 0) { deeper(encoder, depth - 1); space[1] = 0; return; }
  [encoder endEncoding];
  count("endEncoding", 1);
}
static void leave(void (*by)(void)) {
  _MTLCommandBuffer *buffer = [queue_of_kind(DEVICE(), KIND_FAMILY_B) commandBuffer];
  ShapesEncoder *encoder = [buffer computeCommandEncoder];
  count("commandBuffer", 1);
  count("computeCommandEncoder", 1);
  for (volatile long i = 0; i < n; i++) {
    shapes_in_fill = by;
    if (by == jump) {
      if (!setjmp(back)) [encoder fillBuffer:nil range:(NSRange){0, 1} value:0];
    } else {
      @try { [encoder fillBuffer:nil range:(NSRange){0, 1} value:0]; } @catch (id thrown) {}
    }
    shapes_in_fill = NULL;
    if (by == throw) {
      count("fillBuffer:range:value:", 1);
      deeper(encoder, 4);
    }
    [encoder endEncoding];
    count("endEncoding", 1);
  }
  tell();
}
static void exceptions(void) { leave(throw); }
static void jumps(void) { leave(jump); }

// A completion handler that does not return: the commit that called it is left, and with it the tracer's handler, which is behind the program's. What
// is done after it, also with the same command buffer's queue, is recorded.
static void completes_by_jump(void *block, id buffer) { longjmp(back, 1); }
static void completion_jumps(void) {
  _MTLCommandQueue *queue = queue_of_kind(DEVICE(), KIND_FAMILY_A);
  static struct { uintptr_t reserved, size; } descriptor = {0, 32};
  struct { void *isa; int flags, reserved; void (*invoke)(void *, id); void *descriptor; } handler = {NULL, 1 << 28, 0, completes_by_jump, &descriptor};
  for (volatile long i = 0; i < n; i++) {
    _MTLCommandBuffer *left = [queue commandBuffer];
    [left addCompletedHandler:&handler];
    count("addCompletedHandler:", 1);
    if (!setjmp(back)) [left commit];
    count("commandBuffer", 1);
    _MTLCommandBuffer *buffer = [queue commandBuffer];
    count("commandBuffer", 1);
    [buffer commit];
    count("commit", 1);
    [buffer waitUntilCompleted];
    count("waitUntilCompleted", 1);
  }
  tell();
}

// Objects come and go at the same address; each must have its own number, and a reference count of 1 at its end.
static void reuse(void) {
  _MTLCommandQueue *queue = queue_of_kind(DEVICE(), KIND_FAMILY_B);
  void *first = NULL;
  long same = 0;
  for (long i = 0; i < n; i++) {
    _MTLCommandBuffer *buffer = [queue commandBuffer];
    if (!first) first = buffer;
    same += (void *)buffer == first;
    [buffer commit];
    if (buffer->references != 1) printf("%ld references\n", buffer->references);
    [buffer release];
  }
  count("commandBuffer", n);
  count("commit", n);
  tell();
  fprintf(stderr, "%ld at the same address\n", same);
}

// Metal objects from before, and calls the tracer must keep out of.
static void odd(void) {
  _MTLCommandBuffer *early = [FamilyBCommandBuffer alloc];
  _MTLDevice *device = DEVICE();
  [early commit]; // its class is not known yet: not recorded, and no harm
  _MTLCommandBuffer *buffer = [queue_of_kind(device, KIND_FAMILY_B) commandBuffer];
  _MTLCommandBuffer *unseen = [FamilyBCommandBuffer alloc];
  [unseen commit];
  [unseen waitUntilCompleted];
  [buffer commit];
  count("commandBuffer", 1);
  count("commit", 2);
  count("waitUntilCompleted", 1);
  ShapesEvent *event = [device newSharedEvent];
  if ([event waitUntilSignaledValue:2 timeoutMS:5] || ![event waitUntilSignaledValue:1 timeoutMS:5]) printf("wrong result\n");
  count("newSharedEvent", 1);
  count("waitUntilSignaledValue:timeoutMS:", 2);
  if ([event setSignaledValue:77] != 77) printf("wrong result\n");
  if ([device newBufferWithLength:0 options:0] != nil) printf("wrong result\n");
  count("newBufferWithLength:options:", 1);
  id devices = MTLCopyAllDevices();
  count("MTLCopyAllDevices", 1);
  [devices release];
  id observer = nil;
  devices = MTLCopyAllDevicesWithObserver(&observer, device);
  if (observer != device || [devices count] != 1) printf("wrong result\n");
  count("MTLCopyAllDevicesWithObserver", 1);
  [devices release];
  tell();
}

static void keeps_errno(void) {
  _MTLCommandQueue *queue;
  errno = 4711;
  queue = queue_of_kind(DEVICE(), KIND_FAMILY_A);
  for (long i = 0; i < n; i++) work(queue);
  if (errno != 4711) printf("errno is %d\n", errno);
  tell();
}

static void in_fork(void) {
  work(queue_of_kind(DEVICE(), KIND_FAMILY_A));
  for (long i = 0; i < n; i++) {
    if (argument_count > 3) usleep((useconds_t)atol(arguments[3]));
    pid_t child = fork();
    if (child == 0) {
      memset(made, 0, sizeof made);
      work(queue_of_kind(DEVICE(), KIND_FAMILY_A));
      _exit(3);
    }
    int status;
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3) printf("child ended with %d\n", status);
  }
  work(queue_of_kind(DEVICE(), KIND_FAMILY_A));
  tell();
}

// A pool of workers, forked before the parent has used Metal.
static void fork_first(void) {
  for (long i = 0; i < n; i++) {
    if (fork() == 0) {
      work(queue_of_kind(DEVICE(), KIND_FAMILY_A));
      tell();
      _exit(0);
    }
  }
  while (wait(NULL) > 0) {}
}

// Children that give up the user, or the root of the file system, before their first Metal call, and a parent that uses Metal after them.
static void out_of_reach(void) {
  for (long i = 0; i < n; i++) {
    if (fork() == 0) {
      bool gone = strcmp(arguments[3], "user") == 0 ? setgid(65534) == 0 && setuid(65534) == 0 : chroot(arguments[3]) == 0 && chdir("/") == 0;
      if (gone) work(queue_of_kind(DEVICE(), KIND_FAMILY_A));
      _exit(gone ? 0 : 1);
    }
    int status;
    if (wait(&status) < 0 || status != 0) printf("a child ended with %d\n", status);
  }
  work(queue_of_kind(DEVICE(), KIND_FAMILY_A));
  tell();
}

// The child of a fork uses Metal when its parent, which did before, has ended, and long enough after that for the tracer to have noticed.
static void late_child(void) {
  work(queue_of_kind(DEVICE(), KIND_FAMILY_A));
  pid_t parent = getpid();
  if (fork() != 0) return;
  while (getppid() == parent) usleep(1000);
  usleep(500 * 1000);
  work(queue_of_kind(DEVICE(), KIND_FAMILY_A));
  if (open(arguments[3], O_CREAT | O_WRONLY, 0600) < 0) printf("cannot make the file\n");
  _exit(0);
}

// The child of a fork outlives its parent, which is killed.
static void orphan(void) {
  work(queue_of_kind(DEVICE(), KIND_FAMILY_A));
  tell();
  if (fork() == 0) {
    close(1);
    close(2);
    sleep(60);
    _exit(0);
  }
  kill(getpid(), SIGKILL);
}

static void execs(void) {
  work(queue_of_kind(DEVICE(), KIND_FAMILY_A));
  tell();
  if (n > 1) {
    char left[16];
    snprintf(left, sizeof left, "%ld", n - 1);
    execl("/proc/self/exe", arguments[0], "exec", left, NULL);
  }
}

// The numbers of descriptors a program gets, its limits and its signal handlers.
static void process(void) {
  int before = dup(0);
  work(queue_of_kind(DEVICE(), KIND_FAMILY_A));
  usleep(300000);
  int after = dup(0);
  printf("descriptors %d %d\n", before, after);
  fflush(stdout);
  if (system("ulimit -Sn; ulimit -Hn") != 0) printf("failed\n");
  // By the process itself: a child would now and then see the mask that system() blocks everything with while it starts one.
  char line[256];
  FILE *status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status))
    if (!strncmp(line, "SigBlk", 6) || !strncmp(line, "SigIgn", 6) || !strncmp(line, "SigCgt", 6)) fputs(line, stdout);
}

// Signals that are blocked everywhere and waited for, as servers and signalfd do: sent to the process, not to a thread.
static void waits_for_signals(void) {
  const int waited[] = {SIGCHLD, SIGPROF, SIGURG, SIGRTMIN, SIGUSR1};
  enum { WAITED = sizeof waited / sizeof *waited };
  sigset_t set;
  sigemptyset(&set);
  for (int i = 0; i < WAITED; i++) sigaddset(&set, waited[i]);
  sigprocmask(SIG_BLOCK, &set, NULL);
  work(queue_of_kind(DEVICE(), KIND_FAMILY_A));
  usleep(200000); // the library's threads are there
  int got[WAITED] = {0};
  for (long i = 0; i < n; i++)
    for (int j = 0; j < WAITED; j++) {
      if (waited[j] == SIGCHLD) {
        if (fork() == 0) _exit(0);
      } else kill(getpid(), waited[j]);
      got[j] += sigtimedwait(&set, NULL, &(struct timespec){.tv_sec = 2}) == waited[j];
    }
  for (int j = 0; j < WAITED; j++) printf("%d of %ld\n", got[j], n);
}

// All a process may have of address space is what it has now and a little.
static void little_memory(void) {
  setrlimit(RLIMIT_AS, &(struct rlimit){1ul << 31, 1ul << 31});
  for (long i = 0; i < n; i++) work(queue_of_kind(DEVICE(), KIND_FAMILY_A));
  tell();
}

static void closes_all(void) {
  for (int fd = 3; fd < 4096; fd++) close(fd);
  if (n > 1) open("/dev/null", O_RDONLY);
  work(queue_of_kind(DEVICE(), KIND_FAMILY_A));
  tell();
  for (int fd = 3; fd < 4096; fd++) close(fd);
  usleep(200000);
  work(queue_of_kind(DEVICE(), KIND_FAMILY_A));
}

// Counts its calls in a file shared with the test, after each has returned, until it is killed.
static uint64_t *returned;
static void *endless(void *at) {
  _MTLCommandQueue *queue = [DEVICE() newCommandQueueWithMaxCommandBufferCount:KIND_FAMILY_B];
  _MTLCommandBuffer *buffer = [queue commandBuffer];
  ShapesEncoder *encoder = [buffer computeCommandEncoder];
  uint64_t *mine = at;
  mine[0] = (uint64_t)syscall(SYS_gettid);
  for (;;) {
    [encoder endEncoding];
    __atomic_store_n(&mine[1], mine[1] + 1, __ATOMIC_RELEASE);
    if (n) nanosleep(&(struct timespec){0, n}, NULL);
  }
}
static void endlessly(void) {
  int fd = open(arguments[3], O_RDWR | O_CREAT, 0600);
  if (ftruncate(fd, 4096) != 0) exit(99);
  returned = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  pthread_t thread;
  for (int i = 0; i < 3; i++) pthread_create(&thread, NULL, endless, returned + i * 8);
  for (;;) pause();
}

static void flood(void) {
  ShapesEncoder *encoder = [[queue_of_kind(DEVICE(), KIND_FAMILY_B) commandBuffer] computeCommandEncoder];
  count("commandBuffer", 1);
  count("computeCommandEncoder", 1);
  if (!strcmp(arguments[1], "flood-closed"))
    for (int i = 3; i < 4096; i++) close(i);
  for (long i = 0; i < n; i++) [encoder endEncoding];
  count("endEncoding", n);
  tell();
}

// One thread holds a lock until another waits for it. The locks have names; those in the heap have none.
pthread_mutex_t big_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t turn;
static void *holder(void *mutex) {
  printf("%ld holder\n", (long)syscall(SYS_gettid));
  for (int i = 0; i < 3; i++) {
    if (i == 2) pthread_rwlock_wrlock(&table_lock); else pthread_mutex_lock(i ? mutex : &big_lock);
    pthread_barrier_wait(&turn);
    until_it_waits(getpid()); // the main thread
    if (i == 2) pthread_rwlock_unlock(&table_lock); else pthread_mutex_unlock(i ? mutex : &big_lock);
    pthread_barrier_wait(&turn);
  }
  return NULL;
}
__attribute__((noinline)) void wait_for_the_lock(pthread_mutex_t *mutex) {
  if (pthread_mutex_lock(mutex) != 0) printf("not locked\n");
  pthread_mutex_unlock(mutex);
}
static void locks(void) {
  pthread_mutex_t *mutex = malloc(sizeof *mutex);
  pthread_mutexattr_t recursive;
  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(mutex, &recursive);
  pthread_barrier_init(&turn, NULL, 2);
  wait_for_the_lock(&big_lock); // before Metal: nothing
  work(queue_of_kind(DEVICE(), KIND_FAMILY_B));
  pthread_mutex_lock(mutex); // nobody has it: nothing; twice, as it may
  wait_for_the_lock(mutex);
  pthread_mutex_unlock(mutex);
  pthread_t thread;
  pthread_create(&thread, NULL, holder, mutex);
  for (int i = 0; i < 3; i++) {
    pthread_barrier_wait(&turn);
    if (i < 2) wait_for_the_lock(i ? mutex : &big_lock);
    if (i == 2) { pthread_rwlock_rdlock(&table_lock); pthread_rwlock_unlock(&table_lock); }
    pthread_barrier_wait(&turn);
  }
  pthread_join(thread, NULL);
}

// Waits for a lock and then for a signal, and is killed after n steps: with what it waited for in its hands, or when it has given that back.
static pthread_mutex_t plain_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t signalled = PTHREAD_COND_INITIALIZER;
static void step(void) {
  if (--n == 0) kill(getpid(), SIGKILL);
}
static void *gives(void *unused) {
  enum { WAITED_FOR = 2 }; // as the C library notes it in a mutex's first word
  while (__atomic_load_n((int *)&plain_lock, __ATOMIC_RELAXED) != WAITED_FOR) usleep(100);
  pthread_mutex_unlock(&plain_lock);
  pthread_barrier_wait(&turn);
  pthread_mutex_lock(&plain_lock); // free once the other thread waits
  pthread_cond_signal(&signalled);
  pthread_mutex_unlock(&plain_lock);
  return unused;
}
void *takes(void *unused) { // by name in the trace
  pthread_mutex_lock(&plain_lock);
  step();
  pthread_mutex_unlock(&plain_lock);
  step();
  pthread_mutex_lock(&plain_lock);
  pthread_barrier_wait(&turn);
  pthread_cond_wait(&signalled, &plain_lock);
  step();
  pthread_mutex_unlock(&plain_lock);
  step();
  return unused;
}
static void killed_holding(void) {
  pthread_t thread;
  pthread_barrier_init(&turn, NULL, 2);
  work(queue_of_kind(DEVICE(), KIND_FAMILY_B));
  pthread_mutex_lock(&plain_lock);
  pthread_create(&thread, NULL, takes, NULL);
  gives(NULL);
  pthread_join(thread, NULL);
}

#include "benches.h"

// Loads a library while Metal is in use.
static void loads(void) {
  MTLCreateSystemDefaultDevice();
  puts(dlopen(arguments[2], RTLD_NOW) ? "loaded" : dlerror());
}

static void nothing(void) {}

// Makes its first Metal call when it is told to.
static void told(void) {
  char byte;
  if (read(0, &byte, 1) == 1) classes();
}

static const struct { const char *name; void (*run)(void); } scenarios[] = {
    {"classes", classes}, {"told", told}, {"threads", threads}, {"short-threads", short_threads}, {"exceptions", exceptions}, {"jumps", jumps}, {"completion-jumps", completion_jumps},
    {"reuse", reuse}, {"odd", odd}, {"errno", keeps_errno}, {"fork", in_fork}, {"fork-first", fork_first}, {"late-child", late_child}, {"out-of-reach", out_of_reach}, {"orphan", orphan},
    {"exec", execs}, {"process", process}, {"closes-all", closes_all}, {"endlessly", endlessly}, {"flood", flood}, {"flood-closed", flood}, {"bench", bench},
    {"nothing", nothing}, {"waits-for-signals", waits_for_signals}, {"little-memory", little_memory}, {"locks", locks}, {"killed-holding", killed_holding}, {"bench-lock", bench_lock}, {"bench-signal", bench_signal}, {"bench-semaphore", bench_semaphore}, {"bench-commit", bench_commit}, {"bench-loop", bench_loop}, {"bench-report", bench_report}, {"bench-passing", bench_passing}, {"bench-steps", bench_steps}, {"bench-whole", bench_whole}, {"bench-memory", bench_memory}, {"bench-least", bench_least}, {"bench-clock", bench_clock},
    {"bench-stack", bench_stack}, {"bench-bind", bench_bind}, {"loads", loads},
};

int main(int argc, char **argv) {
  argument_count = argc;
  arguments = argv;
  if (argc > 2) n = atol(argv[2]);
  for (unsigned i = 0; argc > 1 && i < sizeof scenarios / sizeof *scenarios; i++)
    if (!strcmp(argv[1], scenarios[i].name)) {
      scenarios[i].run();
      return 0;
    }
  return 98;
}
