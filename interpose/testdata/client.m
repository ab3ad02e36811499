// A program for the tests to trace. `client SCENARIO [N]` makes known Metal calls and prints those it made, one line each:
// the system's thread id, the selector, how often. What it prints is the truth the trace is compared with.
#include "shapes.h"
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

// The child of a fork outlives its parent, which is killed.
static void orphan(void) {
  work(queue_of_kind(DEVICE(), KIND_FAMILY_A));
  tell();
  if (fork() == 0) {
    close(1);
    close(2);
    sleep(20);
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
  char line[64], command[4096] = "ulimit -Sn; ulimit -Hn; grep -E 'Sig(Cgt|Ign|Blk)' /proc/$PPID/status";
  snprintf(line, sizeof line, "%s", "");
  if (system(command) != 0) printf("failed\n");
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
  for (long i = 0; i < n; i++) [encoder endEncoding];
  count("endEncoding", n);
  tell();
}

// Nanoseconds per call of a method that does nothing, on several threads: one line with the median of the threads' figures, in
// their own processor time, because there may be more threads than processors. Before it is timed each thread goes once around
// its ring, whose pages are then there, and lets it be emptied.
static double each[64];
static void took(struct timespec from, struct timespec to) {
  static int next;
  each[__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)] = ((to.tv_sec - from.tv_sec) * 1e9 + (to.tv_nsec - from.tv_nsec)) / n;
}
static void *timed(void *at) {
  ShapesEncoder *encoder = [[[MTLCreateSystemDefaultDevice() newCommandQueueWithMaxCommandBufferCount:KIND_FAMILY_B] commandBuffer] computeCommandEncoder];
  struct timespec a, b;
  for (int lap = 0; lap < 3; lap++) {
    for (long i = 0; i < 30000; i++) [encoder endEncoding];
    usleep(60000);
  }
  pthread_barrier_wait(at);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
  for (long i = 0; i < n; i++) [encoder endEncoding];
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
  took(a, b);
  return NULL;
}

// The same calls with what recording one cannot do without, and without a tracer: two readings of the clock, and a record of 32 bytes
// in a ring of the thread's own that is as large as the tracer's. What this grows by with more threads is the machine's.
enum { RING = 65536 };
struct least { uint64_t begin, end, arg, rest; };
static inline uint64_t reading(void) {
#ifdef __x86_64__
  if (argument_count > 4 && !strcmp(arguments[4], "tsc")) return __builtin_ia32_rdtsc();
#endif
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
static void *timed_least(void *at) {
  ShapesEncoder *encoder = [[[MTLCreateSystemDefaultDevice() newCommandQueueWithMaxCommandBufferCount:KIND_FAMILY_B] commandBuffer] computeCommandEncoder];
  volatile struct least *ring = mmap(NULL, RING * sizeof *ring, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  struct timespec a, b;
  for (int lap = 0; lap < 3; lap++) {
    for (long i = 0; i < 30000; i++) { ring[(lap * 30000 + i) % RING].begin = reading(); [encoder endEncoding]; }
    usleep(60000);
  }
  pthread_barrier_wait(at);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
  for (long i = 0; i < n; i++) {
    volatile struct least *r = &ring[i % RING];
    r->begin = reading();
    [encoder endEncoding];
    r->end = reading();
    r->arg = 0;
    r->rest = (uint64_t)i;
  }
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
  took(a, b);
  return NULL;
}

static int ascending(const void *a, const void *b) { return *(double *)a < *(double *)b ? -1 : 1; }
static void on_threads(void *(*run)(void *)) {
  int count = atoi(arguments[3]);
  pthread_barrier_t ready;
  pthread_barrier_init(&ready, NULL, count);
  pthread_t all[64];
  for (int i = 0; i < count; i++) pthread_create(&all[i], NULL, run, &ready);
  for (int i = 0; i < count; i++) pthread_join(all[i], NULL);
  qsort(each, count, sizeof *each, ascending);
  printf("%.3f\n", each[count / 2]);
}
static void bench(void) { on_threads(timed); }
static void bench_least(void) { on_threads(timed_least); }

// One thread holds a lock for 10 ms at a time, another waits for it. The locks have names; those in the heap have none.
pthread_mutex_t big_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t turn;
static void *holder(void *mutex) {
  printf("%ld holder\n", (long)syscall(SYS_gettid));
  for (int i = 0; i < 3; i++) {
    if (i == 2) pthread_rwlock_wrlock(&table_lock); else pthread_mutex_lock(i ? mutex : &big_lock);
    pthread_barrier_wait(&turn);
    usleep(10000);
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

// Nanoseconds of a lock nobody else wants, and its unlock, in a process that uses Metal.
static void *sleeper(void *nothing) { pause(); return nothing; }
static void bench_lock(void) {
  pthread_t another; // the C library's locks are cheaper while a process has one thread
  pthread_create(&another, NULL, sleeper, NULL);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  work([MTLCreateSystemDefaultDevice() newCommandQueueWithMaxCommandBufferCount:KIND_FAMILY_B]);
  struct timespec a, b;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
  for (long i = 0; i < n; i++) { pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex); }
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
  printf("%.3f\n", ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / n);
}

// Nanoseconds of a signal that nobody waits for, and of a semaphore that is free and given back.
static void bench_wakes(bool semaphores) {
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  sem_t semaphore;
  sem_init(&semaphore, 0, 1);
  work([MTLCreateSystemDefaultDevice() newCommandQueueWithMaxCommandBufferCount:KIND_FAMILY_B]);
  struct timespec a, b;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
  for (long i = 0; i < n; i++) {
    if (semaphores) { sem_wait(&semaphore); sem_post(&semaphore); } else pthread_cond_signal(&condition);
  }
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
  printf("%.3f\n", ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / n);
}
static void bench_signal(void) { bench_wakes(false); }
static void bench_semaphore(void) { bench_wakes(true); }

// Nanoseconds of a commit, with the handler that it calls at once.
static void bench_commit(void) {
  _MTLCommandQueue *queue = [MTLCreateSystemDefaultDevice() newCommandQueueWithMaxCommandBufferCount:KIND_FAMILY_B];
  struct timespec a, b;
  double total = 0;
  for (long i = -1000; i < n; i++) {
    _MTLCommandBuffer *buffer = [queue commandBuffer];
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    for (int j = 0; j < 1; j++) [buffer commit];
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    if (i >= 0) total += (b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec);
    [buffer release];
  }
  printf("%.3f\n", total / n);
}

// One command buffer as the loop of field report R1 makes it: seven calls, without an enqueue.
static void work_of_report(_MTLCommandQueue *queue) {
  _MTLCommandBuffer *buffer = [queue commandBuffer];
  ShapesEncoder *encoder = [buffer computeCommandEncoder];
  [encoder setComputePipelineState:nil];
  [encoder dispatchThreadgroups:(MTLSize){2, 3, 4} threadsPerThreadgroup:(MTLSize){5, 6, 7}];
  [encoder endEncoding];
  [buffer commit];
  [buffer waitUntilCompleted];
  [encoder release];
  [buffer release];
}

// Nanoseconds of a whole command buffer, from its creation to the end of the wait, with its handler: the median of laps that begin
// with an empty ring and leave it less than a quarter full, as the ring of a loop that makes one every 15 µs is whenever it is read.
// Before, it goes once around the ring.
static void bench_buffers(void (*work)(_MTLCommandQueue *), int kind) {
  enum { LAPS = 31, FIRST_LAPS = 4, AT_FIRST = 2000 };
  _MTLCommandQueue *queue = [MTLCreateSystemDefaultDevice() newCommandQueueWithMaxCommandBufferCount:kind];
  struct timespec a, b;
  double laps[LAPS];
  for (int lap = -FIRST_LAPS; lap < LAPS; lap++) {
    usleep(lap < 1 ? 60000 : 20000);
    for (long i = 0; i < (lap < 0 ? AT_FIRST : n / 5); i++) work(queue); // what a sleep leaves cold
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    for (long i = 0; i < n; i++) work(queue);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    if (lap >= 0) laps[lap] = ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / n;
  }
  qsort(laps, LAPS, sizeof *laps, ascending);
  printf("%.3f\n", laps[LAPS / 2]);
}
static void bench_loop(void) { bench_buffers(work, KIND_FAMILY_B); }
static void bench_report(void) { bench_buffers(work_of_report, KIND_FAMILY_B); }
static void bench_passing(void) { bench_buffers(work_of_report, KIND_PASSING); }

// Work that takes a processor, of so many steps; and how many take 15 µs, the least of many.
static uint64_t compute(long steps) {
  uint64_t x = 1;
  for (long i = 0; i < steps; i++) {
    x = x * 3 + 1;
    __asm__ volatile("" : "+r"(x));
  }
  return x;
}
static double nanos_between(struct timespec a, struct timespec b) { return (b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec); }
static void bench_steps(void) {
  struct timespec a, b;
  double least = 1e18;
  for (int i = 0; i < 2000; i++) {
    clock_gettime(CLOCK_MONOTONIC, &a);
    compute(10000);
    clock_gettime(CLOCK_MONOTONIC, &b);
    if (nanos_between(a, b) < least) least = nanos_between(a, b);
  }
  printf("%.0f\n", 10000 * 15000 / least);
}

// Nanoseconds of wall time for each command buffer of a loop that has so many steps of work for each, on some threads.
static void *work_and_compute(void *nothing) {
  _MTLCommandQueue *queue = [MTLCreateSystemDefaultDevice() newCommandQueueWithMaxCommandBufferCount:KIND_PASSING];
  for (long i = 0; i < n; i++) {
    work_of_report(queue);
    compute(atol(arguments[3]));
  }
  return nothing;
}
static void bench_whole(void) {
  enum { MOST_THREADS = 64 };
  pthread_t all[MOST_THREADS];
  struct timespec a, b;
  int threads = atoi(arguments[4]);
  clock_gettime(CLOCK_MONOTONIC, &a);
  for (int i = 0; i < threads; i++) pthread_create(&all[i], NULL, work_and_compute, NULL);
  for (int i = 0; i < threads; i++) pthread_join(all[i], NULL);
  clock_gettime(CLOCK_MONOTONIC, &b);
  printf("%.3f\n", nanos_between(a, b) / n);
}

// KiB of memory that the process has: at rest after a command buffer; of each further thread that has made one; of 100,000 objects
// that are alive; and by which it grows over n command buffers after the first hundred thousand.
static double resident(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%*d %ld", &pages) != 1) exit(99);
  fclose(file);
  return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1024;
}
static void *work_and_wait(void *barrier) {
  work_of_report([MTLCreateSystemDefaultDevice() newCommandQueueWithMaxCommandBufferCount:KIND_FAMILY_B]);
  pthread_barrier_wait(barrier);
  pause();
  return NULL;
}
static void rest(void) { usleep(300000); }
static void bench_memory(void) {
  enum { THREADS = 32, OBJECTS = 100000 };
  _MTLCommandQueue *queue = [MTLCreateSystemDefaultDevice() newCommandQueueWithMaxCommandBufferCount:KIND_FAMILY_B];
  const char *of = arguments[3];
  double before = 0, share = 1;
  work_of_report(queue);
  rest();
  if (strcmp(of, "rest")) before = resident();
  if (!strcmp(of, "thread")) {
    pthread_barrier_t made;
    pthread_barrier_init(&made, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++) pthread_create(&(pthread_t){0}, NULL, work_and_wait, &made);
    pthread_barrier_wait(&made);
    share = THREADS;
  }
  if (!strcmp(of, "objects"))
    for (int i = 0; i < OBJECTS; i++) [queue commandBuffer];
  if (!strcmp(of, "growth")) {
    for (int i = 0; i < OBJECTS; i++) work_of_report(queue);
    rest();
    before = resident();
    for (long i = 0; i < n; i++) work_of_report(queue);
  }
  rest();
  printf("%.1f\n", (resident() - before) / share);
}

// Nanoseconds of a dispatch from so many functions deep, each with a frame pointer.
static __attribute__((noinline, optimize("no-omit-frame-pointer"))) double dispatches(ShapesEncoder *encoder) {
  struct timespec a, b;
  for (int lap = 0; lap < 4; lap++) {
    for (int i = 0; i < 1000; i++) [encoder dispatchThreadgroups:(MTLSize){1, 1, 1} threadsPerThreadgroup:(MTLSize){1, 1, 1}];
    usleep(60000);
  }
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
  for (long i = 0; i < n; i++) [encoder dispatchThreadgroups:(MTLSize){1, 1, 1} threadsPerThreadgroup:(MTLSize){1, 1, 1}];
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
  return ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / n;
}
static __attribute__((noinline, optimize("no-omit-frame-pointer"))) double from_deep(ShapesEncoder *encoder, int depth) {
  volatile double ns = depth > 0 ? from_deep(encoder, depth - 1) : dispatches(encoder);
  return ns;
}
static void bench_stack(void) {
  _MTLCommandQueue *queue = [MTLCreateSystemDefaultDevice() newCommandQueueWithMaxCommandBufferCount:KIND_FAMILY_B];
  printf("%.3f\n", from_deep([[queue commandBuffer] computeCommandEncoder], atoi(arguments[3])));
}

// Loads a library while Metal is in use.
static void loads(void) {
  MTLCreateSystemDefaultDevice();
  puts(dlopen(arguments[2], RTLD_NOW) ? "loaded" : dlerror());
}

static void nothing(void) {}

static const struct { const char *name; void (*run)(void); } scenarios[] = {
    {"classes", classes}, {"threads", threads}, {"short-threads", short_threads}, {"exceptions", exceptions}, {"jumps", jumps},
    {"reuse", reuse}, {"odd", odd}, {"errno", keeps_errno}, {"fork", in_fork}, {"fork-first", fork_first}, {"orphan", orphan},
    {"exec", execs}, {"process", process}, {"closes-all", closes_all}, {"endlessly", endlessly}, {"flood", flood}, {"bench", bench},
    {"nothing", nothing}, {"waits-for-signals", waits_for_signals}, {"little-memory", little_memory}, {"locks", locks}, {"bench-lock", bench_lock}, {"bench-signal", bench_signal}, {"bench-semaphore", bench_semaphore}, {"bench-commit", bench_commit}, {"bench-loop", bench_loop}, {"bench-report", bench_report}, {"bench-passing", bench_passing}, {"bench-steps", bench_steps}, {"bench-whole", bench_whole}, {"bench-memory", bench_memory}, {"bench-least", bench_least},
    {"bench-stack", bench_stack}, {"loads", loads},
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
