// Trampolines of methods that return an autoreleased object: the object goes from the method to the program without a
// pool, as it does without the tracer, and a program that does not take it finds it in the pool, once.
//
// A method and a program as ARC compiles them are written in assembly here: what counts is which instruction is where.
#include "check.h"
#include "fakes.h"
#include "hook/classes.h"
#include "hook/methods.h"

extern Class objc_allocateClassPair(Class super, const char *name, size_t extra);
extern void objc_registerClassPair(Class class);
extern bool class_addMethod(Class class, SEL selector, IMP implementation, const char *types);
extern SEL sel_registerName(const char *name);
extern void *objc_autoreleasePoolPush(void);
extern void objc_autoreleasePoolPop(void *pool);
extern void objc_release(void *object);

// return objc_autoreleaseReturnValue(mac_make_object()), and a call whose result the program owns; its arguments are a
// method's, one further on.
id arc_method(id self, SEL selector);
id arc_call(IMP method, id self, SEL selector, id a, id b, id c, id d, id e);
#ifdef __aarch64__
__asm__(".text\n .globl arc_method\narc_method:\n"
        "stp x29, x30, [sp, #-16]!\n mov x29, sp\n bl mac_make_object\n ldp x29, x30, [sp], #16\n b objc_autoreleaseReturnValue\n"
        ".globl arc_call\narc_call:\n"
        "stp x29, x30, [sp, #-16]!\n mov x29, sp\n mov x16, x0\n"
        "mov x0, x1\n mov x1, x2\n mov x2, x3\n mov x3, x4\n mov x4, x5\n mov x5, x6\n mov x6, x7\n blr x16\n"
        " mov x29, x29\n bl _objc_retainAutoreleasedReturnValue\n ldp x29, x30, [sp], #16\n ret\n");
#else
__asm__(".text\n .globl arc_method\narc_method:\n"
        "pushq %rbp\n movq %rsp, %rbp\n call mac_make_object\n movq %rax, %rdi\n popq %rbp\n jmp objc_autoreleaseReturnValue\n"
        ".globl arc_call\narc_call:\n"
        "pushq %rbp\n movq %rsp, %rbp\n movq %rdi, %rax\n"
        "movq %rsi, %rdi\n movq %rdx, %rsi\n movq %rcx, %rdx\n movq %r8, %rcx\n movq %r9, %r8\n movq 16(%rbp), %r9\n"
        "pushq $0\n pushq 24(%rbp)\n call *%rax\n movq %rax, %rdi\n call _objc_retainAutoreleasedReturnValue\n leave\n ret\n");
#endif

enum { TIMES = 1000 };

// How many records there are of a call. They are counted right after each call, because the thread reuses the chunks
// of its ring (its buffer of records) whose records the collector has read.
static unsigned counts[MT_CALL_COUNT];
static uint64_t counted;
static void count_records(void) {
  struct thread *t = mt_thread();
  for (; t && counted < t->head; counted++) counts[mt_ring_slot(t->ring, counted)->call]++;
}
static unsigned recorded(unsigned call) { return counts[call]; }

static struct {
  Class class;
} queue, below, graph;

static IMP method_of(void *object, const char *selector) { return mt_implementation(object, selector); }

// A class's method that calls its superclass's and does no more, as a jump.
IMP above;
id calls_super(id self, SEL selector);
#ifdef __aarch64__
__asm__(".text\n .globl calls_super\ncalls_super:\n adrp x16, above\n ldr x16, [x16, :lo12:above]\n br x16\n");
#else
__asm__(".text\n .globl calls_super\ncalls_super:\n jmp *above(%rip)\n");
#endif

static id call(void *object, const char *selector) {
  IMP method = method_of(object, selector);
  CHECK(method);
  return arc_call(method, object, mt_selector(selector), NULL, NULL, NULL, NULL, NULL);
}

// A program under ARC, with one pool around it all.
static void owner_calls(void *object, const char *selector) {
  void *pool = objc_autoreleasePoolPush();
  long before = mac_objects.autoreleased;
  for (int i = 0; i < TIMES; i++) {
    id made = call(object, selector);
    CHECK(mac_objects.alive == 1 && mac_count_of(made) == 1);
    objc_release(made);
    CHECK(mac_objects.alive == 0);
    count_records();
  }
  CHECK(mac_objects.autoreleased == before);
  objc_autoreleasePoolPop(pool);
}

// A program that counts by hand: the pool is the owner.
static void pool_owns(void *object, const char *selector) {
  void *pool = objc_autoreleasePoolPush();
  for (int i = 1; i <= TIMES; i++) {
    id (*method)(id, SEL, id, id, id, id, id) = (id(*)(id, SEL, id, id, id, id, id))method_of(object, selector);
    id made = method(object, mt_selector(selector), NULL, NULL, NULL, NULL, NULL);
    CHECK(mac_objects.alive == i && mac_count_of(made) == 1);
    count_records();
  }
  objc_autoreleasePoolPop(pool);
  CHECK(mac_objects.alive == 0);
}

static void both(void *object, const char *selector) {
  owner_calls(object, selector);
  pool_owns(object, selector);
}

static Class make(const char *name, Class super, const char *selector, IMP method, const char *types) {
  Class class = objc_allocateClassPair(super, name, 0);
  CHECK(class && class_addMethod(class, sel_registerName(selector), method, types));
  objc_registerClassPair(class);
  return class;
}

int main(void) {
  static const char with_descriptor[] = "commandBufferWithDescriptor:";
  // One argument too many for the registers of x86-64.
  static const char encode[] = "encodeToCommandBuffer:feeds:targetTensors:targetOperations:executionDescriptor:";
  enum { ENCODE = MT_CALL_mpsGraph_encodeToCommandBuffer_feeds_targetTensors_targetOperations_executionDescriptor_ };
  queue.class = make("MacQueue", NULL, "commandBuffer", (IMP)arc_method, "@16@0:8");
  CHECK(class_addMethod(queue.class, sel_registerName(with_descriptor), (IMP)arc_method, "@24@0:8@16"));
  graph.class = make("MacGraph", NULL, encode, (IMP)arc_method, "@56@0:8@16@24@32@40@48");
  Class made = objc_allocateClassPair(NULL, "MacCommandBuffer", 0);
  objc_registerClassPair(made);
  mac_count_objects_of(made);
  CHECK(MTLCreateSystemDefaultDevice());
  both(&queue, "commandBuffer"); // not hooked yet

  CHECK(mt_class_hook(mt_thread(), queue.class, MT_FAMILY_queue));
  CHECK(mt_class_hook(mt_thread(), graph.class, MT_FAMILY_mpsGraph));
  CHECK(method_of(&queue, "commandBuffer") != (IMP)arc_method && method_of(&graph, encode) != (IMP)arc_method);
  both(&queue, "commandBuffer");
  both(&queue, with_descriptor);
  both(&graph, encode);
  CHECK(recorded(MT_CALL_queue_commandBuffer) == 2 * TIMES && recorded(ENCODE) == 2 * TIMES);

  // One trampoline inside of another: the inner call is counted only.
  above = method_of(&queue, "commandBuffer");
  below.class = make("MacQueueBelow", queue.class, "commandBuffer", (IMP)calls_super, "@16@0:8");
  CHECK(mt_class_hook(mt_thread(), below.class, MT_FAMILY_queue));
  CHECK(method_of(&below, "commandBuffer") != (IMP)calls_super);
  both(&below, "commandBuffer");
  CHECK(recorded(MT_CALL_queue_commandBuffer) == 4 * TIMES);
  puts("ok");
  return 0;
}
