// The program that `mtrace doctor` runs under the tracer. It makes a known number of Metal calls and prints one JSON
// object: the number of calls of each kind, and the classes that implement them, as the Objective-C runtime reports
// them. doctor compares this with the trace. The program loads Metal late and by name, as Python does.
//
// Rule: every traced call goes through the macro CALL, which counts it, so that the printed numbers are those of the
// calls really made. Counters are atomic because two threads make calls; they are read after both threads have been
// joined. No Apple header is used, so that the source works with Apple's Metal and with any other that has the same
// entry points.
#define _GNU_SOURCE
#include <dlfcn.h>
#ifdef __APPLE__
#include <mach/mach.h>
#else
#include <dirent.h>
#endif
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void *id;
typedef void *Class;
typedef const void *SEL;
typedef struct { unsigned long width, height, depth; } Size;
typedef struct { unsigned long location, length; } Range;

enum { THREADS = 2, BUFFERS = 20, REPEATS = 2000, ELEMENTS = 1024, CHAIN = 16, ROLES = 12, SLOTS = 4, HOLD_MS = 30 };

static id (*create_device)(void);
static SEL (*register_selector)(const char *);
static Class (*get_class)(const char *), (*class_of)(id), (*superclass_of)(Class);
static const char *(*class_name)(Class);
static void *(*instance_method)(Class, SEL);
static void *(*implementation)(void *);
static void (*msg_send)(void);
static void *(*pool_push)(void);
static void (*pool_pop)(void *);

// The selectors that the program calls: a name for this file, the selector, and the kind of object that implements
// it.
#define TRACED(X)                                                                                                   \
    X(new_queue, "newCommandQueue", device) X(new_small_queue, "newCommandQueueWithMaxCommandBufferCount:", device) \
    X(new_buffer, "newBufferWithLength:options:", device)                                                           \
    X(new_library, "newLibraryWithSource:options:error:", device) X(new_event, "newSharedEvent", device)            \
    X(new_pipeline, "newComputePipelineStateWithFunction:error:", device) \
        X(new_function, "newFunctionWithName:", library) \
    X(command_buffer, "commandBuffer", queue) X(unretained, "commandBufferWithUnretainedReferences", queue)         \
    X(compute, "computeCommandEncoder", command_buffer)                                                             \
    X(compute_typed, "computeCommandEncoderWithDispatchType:", command_buffer) \
        X(blit, "blitCommandEncoder", command_buffer) \
    X(enqueue, "enqueue", command_buffer) X(commit, "commit", command_buffer)                                       \
    X(wait_scheduled, "waitUntilScheduled", command_buffer) X(wait_completed, "waitUntilCompleted", command_buffer) \
    X(encode_signal, "encodeSignalEvent:value:", command_buffer) \
        X(encode_wait, "encodeWaitForEvent:value:", command_buffer) \
    X(wait_event, "waitUntilSignaledValue:timeoutMS:", event) X(set_signaled, "setSignaledValue:", event)           \
    X(set_pipeline, "setComputePipelineState:", compute_encoder)                                                    \
    X(dispatch_groups, "dispatchThreadgroups:threadsPerThreadgroup:", compute_encoder)                              \
    X(dispatch_threads, "dispatchThreads:threadsPerThreadgroup:", compute_encoder) \
        X(end, "endEncoding", compute_encoder) \
    X(fill, "fillBuffer:range:value:", blit_encoder) X(end_blit, "endEncoding", blit_encoder)
#define PLAIN(X) \
    X(set_buffer, "setBuffer:offset:atIndex:") X(contents, "contents") X(string, "stringWithUTF8String:") \
        X(utf8, "UTF8String") \
    X(name, "name") X(description, "localizedDescription") X(status, "status") X(gpu_start, "GPUStartTime") \
        X(gpu_end, "GPUEndTime") \
    X(make, "new") X(drain, "drain") X(unified, "hasUnifiedMemory")

#define FIELD3(c, text, role) SEL c;
#define FIELD2(c, text) SEL c;
static struct { TRACED(FIELD3) PLAIN(FIELD2) } sel;
#define COUNTER(c, text, role) atomic_ulong c;
static struct { TRACED(COUNTER) atomic_ulong create; } calls;

#define SEND(result, types, receiver, selector, ...) (((result (*)types)msg_send)((receiver), sel.selector, \
    ##__VA_ARGS__))
#define CALL(result, types, receiver, selector, ...) \
    (atomic_fetch_add(&calls.selector, 1), SEND(result, types, receiver, selector, ##__VA_ARGS__))
#define GET(result, receiver, selector) SEND(result, (id, SEL), receiver, selector)
#define DO(result, receiver, selector) CALL(result, (id, SEL), receiver, selector)

static void fail(const char *what, const char *why) {
    fprintf(stderr, "mtrace-selftest: %s: %s\n", what, why && *why ? why : "no reason given");
    exit(1);
}

// Returns the time on the clock of GPUStartTime, in seconds: mach_absolute_time on a Mac, which is CLOCK_UPTIME_RAW;
// CLOCK_MONOTONIC elsewhere.
static double seconds(void) {
    struct timespec now;
#ifdef __APPLE__
    clock_gettime(CLOCK_UPTIME_RAW, &now);
#else
    clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void *library(const char *path) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!handle) fail("this machine has no Metal", dlerror());
    return handle;
}

static void *symbol(void *handle, const char *name) {
    void *address = dlsym(handle, name);
    if (!address) fail("a function is missing", name);
    return address;
}

static void load(void) {
    void *objc = library("/usr/lib/libobjc.A.dylib");
    // Apple's Metal gives command-line programs no default device unless CoreGraphics is loaded.
    dlopen("/System/Library/Frameworks/CoreGraphics.framework/CoreGraphics", RTLD_NOW | RTLD_GLOBAL);
    void *metal = library("/System/Library/Frameworks/Metal.framework/Metal");
    dlopen("/System/Library/Frameworks/Foundation.framework/Foundation", RTLD_NOW | RTLD_GLOBAL);
    *(void **)&create_device = symbol(metal, "MTLCreateSystemDefaultDevice");
    *(void **)&register_selector = symbol(objc, "sel_registerName");
    *(void **)&get_class = symbol(objc, "objc_getClass");
    *(void **)&class_of = symbol(objc, "object_getClass");
    *(void **)&superclass_of = symbol(objc, "class_getSuperclass");
    *(void **)&class_name = symbol(objc, "class_getName");
    *(void **)&instance_method = symbol(objc, "class_getInstanceMethod");
    *(void **)&implementation = symbol(objc, "method_getImplementation");
    *(void **)&msg_send = symbol(objc, "objc_msgSend");
    *(void **)&pool_push = dlsym(objc, "objc_autoreleasePoolPush");
    *(void **)&pool_pop = dlsym(objc, "objc_autoreleasePoolPop");
#define REGISTER3(c, text, role) sel.c = register_selector(text);
#define REGISTER2(c, text) sel.c = register_selector(text);
    TRACED(REGISTER3) PLAIN(REGISTER2)
}

static void *push(void) { return pool_push ? pool_push() : GET(id, get_class("NSAutoreleasePool"), make); }
static void pop(void *pool) {
    if (pool_push) pool_pop(pool);
    else GET(void, pool, drain);
}

static const char *text_of(id string) { return string ? GET(const char *, string, utf8) : ""; }
static id string(const char *text) { return SEND(id, (id, SEL, const char *), get_class("NSString"), string, text); }

// The class of the first object of each kind.
static struct role { const char *name; Class class; } roles[ROLES];
static int role_count;

static Class role(const char *name) {
    for (int i = 0; i < role_count; i++)
        if (!strcmp(roles[i].name, name)) return roles[i].class;
    return NULL;
}

static id note(const char *name, id object) {
    if (!object) fail("Metal returned no object", name);
    if (!role(name) && role_count < ROLES) roles[role_count++] = (struct role){name, class_of(object)};
    return object;
}

struct work {
    id queue, pipeline, buffer;
    // in seconds: the smallest time from the call of commit to the start on the GPU, and the smallest time from the
    // end on the GPU to the return of the wait
    double earliest, latest;
    double notify[BUFFERS];  // from the end on the GPU to the return of the wait, in ns
    double set_ns;           // median duration of setComputePipelineState:, in ns
    int completed;
};

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, ascending);
    return values[count / 2];
}

static void submit(struct work *w, int number) {
    const Size groups = {ELEMENTS / 64, 1, 1}, group = {64, 1, 1};
    void *pool = push();
    id buffer = DO(id, w->queue, command_buffer);
    id encoder = DO(id, buffer, compute);
    CALL(void, (id, SEL, id), encoder, set_pipeline, w->pipeline);
    SEND(void, (id, SEL, id, unsigned long, unsigned long), encoder, set_buffer, w->buffer, 0, 0);
    CALL(void, (id, SEL, Size, Size), encoder, dispatch_groups, groups, group);
    DO(void, encoder, end);
    double before = seconds();
    DO(void, buffer, commit);
    DO(void, buffer, wait_completed);
    double after = seconds();
    double start = GET(double, buffer, gpu_start), end = GET(double, buffer, gpu_end);
    if (GET(unsigned long, buffer, status) == 4) w->completed++;
    if (start - before < w->earliest) w->earliest = start - before;
    if (after - end < w->latest) w->latest = after - end;
    w->notify[number] = (after - end) * 1e9;
    pop(pool);
}

// Measures the cost of one traced call with the shortest call there is. It times batches of 100, because one call
// takes less than the clock's resolution.
static void repeat(struct work *w) {
    double batches[REPEATS / 100];
    void *pool = push();
    id buffer = DO(id, w->queue, command_buffer);
    id encoder = DO(id, buffer, compute);
    for (int b = 0; b < REPEATS / 100; b++) {
        double begin = seconds();
        for (int i = 0; i < 100; i++) CALL(void, (id, SEL, id), encoder, set_pipeline, w->pipeline);
        batches[b] = (seconds() - begin) * 1e9 / 100;
    }
    DO(void, encoder, end);
    DO(void, buffer, commit);
    DO(void, buffer, wait_completed);
    pop(pool);
    w->set_ns = median(batches, REPEATS / 100);
}

static void *run(void *argument) {
    struct work *w = argument;
    for (int i = 0; i < BUFFERS; i++) submit(w, i);
    repeat(w);
    return NULL;
}

// Makes every other traced call once.
static void variants(id device, id queue, id pipeline, id data) {
    const Size threads = {ELEMENTS, 1, 1}, group = {64, 1, 1};
    void *pool = push();
    id event = note("event", DO(id, device, new_event));
    id buffer = DO(id, queue, unretained);
    DO(void, buffer, enqueue);
    id encoder = CALL(id, (id, SEL, unsigned long), buffer, compute_typed, 1ul); // concurrent
    CALL(void, (id, SEL, id), encoder, set_pipeline, pipeline);
    SEND(void, (id, SEL, id, unsigned long, unsigned long), encoder, set_buffer, data, 0, 0);
    CALL(void, (id, SEL, Size, Size), encoder, dispatch_threads, threads, group);
    DO(void, encoder, end);
    id blit = note("blit_encoder", DO(id, buffer, blit));
    CALL(void, (id, SEL, id, Range, unsigned char), blit, fill, data, ((Range){0, 64}), 7);
    DO(void, blit, end_blit);
    CALL(void, (id, SEL, id, uint64_t), buffer, encode_signal, event, 5);
    DO(void, buffer, commit);
    DO(void, buffer, wait_scheduled);
    DO(void, buffer, wait_completed);
    if (!CALL(signed char, (id, SEL, uint64_t, uint64_t), event, wait_event, 5, 10000)) fail("a shared event",
        "its value did not come");
    if (((unsigned char *)GET(void *, data, contents))[63] != 7) fail("a blit encoder", "it did not fill the buffer");
    pop(pool);
}

static void *release_gpu(void *event) {
    nanosleep(&(struct timespec){0, HOLD_MS * 1000000L}, NULL);
    CALL(void, (id, SEL, uint64_t), event, set_signaled, 1);
    return NULL;
}

// Creates one more command buffer than a queue can hold, so that its creation blocks until another one has completed.
// An event keeps all command buffers waiting on the GPU until another thread signals it. Returns how long the creation
// took, in ns.
static double full_queue(id device) {
    void *pool = push();
    id queue = CALL(id, (id, SEL, unsigned long), device, new_small_queue, (unsigned long)SLOTS);
    id event = DO(id, device, new_event);
    for (int i = 0; i < SLOTS; i++) {
        id buffer = DO(id, queue, command_buffer);
        CALL(void, (id, SEL, id, uint64_t), buffer, encode_wait, event, 1);
        DO(void, buffer, commit);
    }
    pthread_t thread;
    if (pthread_create(&thread, NULL, release_gpu, event)) fail("a thread", "it cannot be started");
    double begin = seconds();
    id buffer = DO(id, queue, command_buffer);
    double took = (seconds() - begin) * 1e9;
    DO(void, buffer, commit);
    DO(void, buffer, wait_completed);
    pthread_join(thread, NULL);
    pop(pool);
    return took;
}

static pthread_mutex_t mtrace_selftest_mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int held;

static void *hold(void *unused) {
    (void)unused;
    pthread_mutex_lock(&mtrace_selftest_mutex);
    atomic_store(&held, 1);
    nanosleep(&(struct timespec){0, HOLD_MS * 1000000L}, NULL);
    pthread_mutex_unlock(&mtrace_selftest_mutex);
    return NULL;
}

// Waits for a mutex that another thread holds for a while. Returns how long the wait took, in ns.
static double contend(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, hold, NULL)) fail("a thread", "it cannot be started");
    while (!atomic_load(&held)) nanosleep(&(struct timespec){0, 100000}, NULL);
    double begin = seconds();
    pthread_mutex_lock(&mtrace_selftest_mutex);
    double took = (seconds() - begin) * 1e9;
    pthread_mutex_unlock(&mtrace_selftest_mutex);
    pthread_join(thread, NULL);
    return took;
}

static void print_string(const char *text) {
    putchar('"');
    for (; *text; text++) {
        if ((unsigned char)*text < 0x20 || *text == '"' || *text == '\\') printf("\\u%04x", (unsigned char)*text);
        else putchar(*text);
    }
    putchar('"');
}

static void print_chain(Class class) {
    const char *separator = "";
    putchar('[');
    for (int i = 0; class && i < CHAIN; i++, class = superclass_of(class), separator = ",") {
        printf("%s", separator);
        print_string(class_name(class));
    }
    putchar(']');
}

// Prints the classes, from the object's own class upwards, that implement the selector themselves.
static void print_owners(const char *name, const char *selector_name, SEL selector) {
    const char *separator = "";
    Class class = role(name);
    if (!class) return;
    static int printed;
    printf("%s\n{\"role\":\"%s\",\"selector\":\"%s\",\"owners\":[", printed++ ? "," : "", name, selector_name);
    for (int i = 0; class && i < CHAIN; i++) {
        Class above = superclass_of(class);
        void *here = instance_method(class, selector), *there = above ? instance_method(above, selector) : NULL;
        if (here && (!there || implementation(here) != implementation(there))) {
            printf("%s", separator);
            print_string(class_name(class));
            separator = ",";
        }
        class = above;
    }
    printf("]}");
}

static void print_calls(void) {
    const char *separator = "";
#define COUNT(c, text, role)     \
    if (atomic_load(&calls.c)) { \
        printf("%s\n{\"role\":\"%s\",\"selector\":\"%s\",\"count\":%lu}", separator, #role, text, \
            atomic_load(&calls.c)); \
        separator = ",";         \
    }
    TRACED(COUNT)
    printf("%s\n{\"role\":\"function\",\"selector\":\"MTLCreateSystemDefaultDevice\",\"count\":%lu}", separator,
        atomic_load(&calls.create));
}

static const char source[] =
    "#include <metal_stdlib>\nusing namespace metal;\n"
    "kernel void twice(device float *data [[buffer(0)]], uint i [[thread_position_in_grid]]) { data[i] = data[i] "
        "* 2 + 1; }\n";

// Prints the process's threads and signal handlers, without using Metal. doctor runs it to check what the library adds
// to a program that does not use it.
static int idle(void) {
    int threads = 0;
#ifdef __APPLE__
    thread_act_array_t list;
    mach_msg_type_number_t count = 0;
    if (task_threads(mach_task_self(), &list, &count) == KERN_SUCCESS) threads = (int)count;
#else
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; tasks && (entry = readdir(tasks));) threads += entry->d_name[0] != '.';
    if (tasks) closedir(tasks);
#endif
    printf("{\"threads\":%d,\"handlers\":[", threads);
    const char *separator = "";
    for (int s = 1; s < NSIG; s++) {
        struct sigaction now;
        if (sigaction(s, NULL, &now) != 0 || now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) continue;
        printf("%s%d", separator, s);
        separator = ",";
    }
    printf("]}\n");
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "idle")) return idle();
    load();
    void *pool = push();
    atomic_fetch_add(&calls.create, 1);
    id device = note("device", create_device());
    id queues[THREADS], error = NULL;
    for (int i = 0; i < THREADS; i++) queues[i] = note("queue", DO(id, device, new_queue));
    id made = CALL(id, (id, SEL, id, id, id *), device, new_library, string(source), NULL, &error);
    if (!made) fail("the kernel cannot be compiled", text_of(error ? GET(id, error, description) : NULL));
    id function = note("function", CALL(id, (id, SEL, id), note("library", made), new_function, string("twice")));
    id pipeline = note("pipeline", CALL(id, (id, SEL, id, id *), device, new_pipeline, function, &error));
    struct work work[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        work[i] = (struct work){.queue = queues[i], .pipeline = pipeline, .earliest = 1e9, .latest = 1e9};
        work[i].buffer = note("buffer", CALL(id, (id, SEL, unsigned long, unsigned long), device, new_buffer,
            ELEMENTS * sizeof(float), 0));
    }
    id probe = note("command_buffer", DO(id, queues[0], command_buffer));
    id encoder = note("compute_encoder", DO(id, probe, compute));
    DO(void, encoder, end);
    DO(void, probe, commit);
    DO(void, probe, wait_completed);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, run, &work[i])) fail("a thread", "it cannot be started");
    struct work all = {.earliest = 1e9, .latest = 1e9};
    double notify[THREADS * BUFFERS], set[THREADS];
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        if (work[i].earliest < all.earliest) all.earliest = work[i].earliest;
        if (work[i].latest < all.latest) all.latest = work[i].latest;
        all.completed += work[i].completed;
        memcpy(notify + i * BUFFERS, work[i].notify, sizeof work[i].notify);
        set[i] = work[i].set_ns;
    }
    // Each command buffer doubles the value and adds one, so that it is 2^n - 1 after n command buffers.
    float expected = (float)((1 << BUFFERS) - 1), got = ((float *)GET(void *, work[0].buffer, contents))[ELEMENTS - 1];
    variants(device, queues[0], pipeline, work[1].buffer);
    double blocked = full_queue(device), contended = contend();
    printf("{\"schema\":\"mtrace.selftest/1\",\"device\":");
    print_string(text_of(GET(id, device, name)));
    printf(",\n\"result_right\":%s,\"command_buffers\":%d,\"completed\":%d,", got == expected ? "true" : "false",
        THREADS * BUFFERS, all.completed);
    printf("\n\"gpu_start_after_commit_ns\":%.0f,\"return_after_gpu_end_ns\":%.0f,", all.earliest * 1e9,
        all.latest * 1e9);
    printf("\n\"full_queue_ns\":%.0f,\"lock_ns\":%.0f,", blocked, contended);
    printf("\"notify_median_ns\":%.0f,\"call_median_ns\":%.1f,", median(notify, THREADS * BUFFERS),
        median(set, THREADS));
    printf("\n\"classes\":[");
    for (int i = 0; i < role_count; i++) {
        printf("%s\n{\"role\":\"%s\",\"chain\":", i ? "," : "", roles[i].name);
        print_chain(roles[i].class);
        putchar('}');
    }
    printf("],\n\"owners\":[");
#define OWNERS(c, text, role) print_owners(#role, text, sel.c);
    TRACED(OWNERS)
    printf("],\n\"calls\":[");
    print_calls();
    printf("]}\n");
    pop(pool);
    return 0;
}
