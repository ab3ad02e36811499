// The benchmarks of client.m, which includes it: each prints nanoseconds, or KiB, that the test reads.

// Nanoseconds per call of a method that does nothing, on several threads: one line with the median of the threads' figures, in
// their own processor time, because there may be more threads than processors. Before it is timed, each thread makes as many calls
// three times and lets its ring be emptied: the timed calls then touch no page for the first time. Fewer calls would touch fewer
// chunks of the ring.
static double each[64];
static void took(struct timespec from, struct timespec to) {
  static int next;
  each[__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)] = ((to.tv_sec - from.tv_sec) * 1e9 + (to.tv_nsec - from.tv_nsec)) / n;
}
static void *timed(void *at) {
  ShapesEncoder *encoder = [[[MTLCreateSystemDefaultDevice() newCommandQueueWithMaxCommandBufferCount:KIND_FAMILY_B] commandBuffer] computeCommandEncoder];
  struct timespec a, b;
  for (int lap = 0; lap < 3; lap++) {
    for (long i = 0; i < n; i++) [encoder endEncoding];
    usleep(60000);
  }
  pthread_barrier_wait(at);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
  for (long i = 0; i < n; i++) [encoder endEncoding];
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
  took(a, b);
  return NULL;
}

// The same calls with what recording one cannot do without, and without a tracer: two readings of the clock; and with them, or not, a record of
// 32 bytes in a ring of the thread's own that is as large as the tracer's. What this costs, and grows by with more threads, is the machine's.
enum { RING = 65536 };
struct least { uint64_t begin, end, arg, rest; };
static bool by_cycles; // is looked at once for all: a comparison of names at each reading would be counted as the clock's
static inline uint64_t reading(void) {
#ifdef __x86_64__
  if (by_cycles) return __builtin_ia32_rdtsc();
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

static void *timed_clock(void *at) {
  ShapesEncoder *encoder = [[[MTLCreateSystemDefaultDevice() newCommandQueueWithMaxCommandBufferCount:KIND_FAMILY_B] commandBuffer] computeCommandEncoder];
  volatile uint64_t begin, end;
  struct timespec a, b;
  for (long i = 0; i < 30000; i++) { begin = reading(); [encoder endEncoding]; }
  pthread_barrier_wait(at);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
  for (long i = 0; i < n; i++) {
    begin = reading();
    [encoder endEncoding];
    end = reading();
  }
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
  (void)begin, (void)end;
  took(a, b);
  return NULL;
}

static int ascending(const void *a, const void *b) { return *(double *)a < *(double *)b ? -1 : 1; }
static void on_threads(void *(*run)(void *)) {
  int count = atoi(arguments[3]);
  by_cycles = argument_count > 4 && !strcmp(arguments[4], "tsc");
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
static void bench_clock(void) { on_threads(timed_clock); }

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

// Nanoseconds of a binding of a buffer, of a dispatch with four buffers bound (arguments[3]: "dispatch"), and of a question
// for the status of a command buffer that has not completed ("status").
static void bench_bind(void) {
  enum { BATCH = 32, BUFFERS = 64 };
  bool dispatches = argument_count > 3 && !strcmp(arguments[3], "dispatch");
  bool asks = argument_count > 3 && !strcmp(arguments[3], "status");
  _MTLCommandQueue *queue = [MTLCreateSystemDefaultDevice() newCommandQueueWithMaxCommandBufferCount:KIND_FAMILY_B];
  _MTLCommandBuffer *buffer = [queue commandBuffer];
  static char buffers[BUFFERS][16]; // only their addresses count
  struct timespec a, b;
  double total = 0;
  volatile NSUInteger answer;
  for (long i = -1000; i < n / BATCH; i++) {
    ShapesEncoder *encoder = [buffer computeCommandEncoder];
    for (int k = 0; k < 4; k++) [encoder setBuffer:(id)buffers[(i + 1000 + k) % BUFFERS] offset:0 atIndex:k];
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    if (dispatches)
      for (int j = 0; j < BATCH; j++) [encoder dispatchThreadgroups:(MTLSize){2, 3, 4} threadsPerThreadgroup:(MTLSize){5, 6, 7}];
    else if (asks)
      for (int j = 0; j < BATCH; j++) answer = [buffer status];
    else
      for (int j = 0; j < BATCH; j++) [encoder setBuffer:(id)buffers[j] offset:0 atIndex:j % 8];
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    if (i >= 0) total += (b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec);
    if (i % 256 == 0) usleep(20000); // the ring is emptied
    [encoder endEncoding];
    [encoder release];
  }
  (void)answer;
  printf("%.3f\n", total / n);
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
