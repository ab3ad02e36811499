// The trampolines (the functions that replace hooked methods), generated from hooks_table.h. Rule: a trampoline calls
// its original with the same arguments and returns the original's result; span.h records the call. The compiler must
// neither merge nor inline trampolines, because a trampoline's address identifies the class's slot.
#include "hook/hooks.h"
#include "hook/async.h"
#include "hook/autorelease.h"
#include "core/delay.h"
#include "features/alive.h"
#include "features/bindings.h"
#include "features/capture.h"
#include "features/completion.h"
#include "hook/coverage.h"
#include "features/feedback.h"
#include "features/layers.h"
#include "features/memory.h"
#include "features/polls.h"
#include "features/sampling.h"
#include "stacks/python.h"
#include "waits/handoff.h"
#include "features/shared.h"
#include "hook/span.h"
#include "core/text.h"
#include "hook/string.h"

#define P(...) (__VA_ARGS__)
#define A(...) (__VA_ARGS__)
#define COMMA_LIST(list) COMMA_LIST_ list
#define COMMA_LIST_(...) __VA_OPT__(, ) __VA_ARGS__

// For each kind of result that a hooked method can have: its C type and type encoding, how a trampoline (the function
// that replaces a hooked method) keeps and returns it, and which kind of trampoline and span it needs.
#define TYPE_nothing void
#define KEEP_nothing(call) call
#define GIVE_nothing
#define ENCODED_nothing 'v'
#define TRAMPOLINE_nothing PLAIN_TRAMPOLINE
#define SPAN_nothing SPAN_BY
#define TYPE_object id
#define KEEP_object(call) id result = call
#define GIVE_object result
#define ENCODED_object '@'
#define TRAMPOLINE_object PLAIN_TRAMPOLINE
#define SPAN_object SPAN_BY
#define TYPE_truth BOOL
#define KEEP_truth(call) BOOL result = call
#define GIVE_truth result
#define ENCODED_truth 'B'
#define TRAMPOLINE_truth PLAIN_TRAMPOLINE
#define SPAN_truth SPAN_BY
#define TYPE_integer NSUInteger
#define KEEP_integer(call) NSUInteger result = call
#define GIVE_integer result
#define ENCODED_integer 'Q'
#define TRAMPOLINE_integer PLAIN_TRAMPOLINE
#define SPAN_integer SPAN_BY
#define TYPE_autoreleased id
#define GIVE_autoreleased result
#define ENCODED_autoreleased '@'
#ifdef __APPLE__
#define KEEP_autoreleased(call) id result = mt_claim(call)
#define TRAMPOLINE_autoreleased CLAIMING_TRAMPOLINE
#define SPAN_autoreleased SPAN_OF_CALLER
#else
#define KEEP_autoreleased(call) id result = call
#define TRAMPOLINE_autoreleased PLAIN_TRAMPOLINE
#define SPAN_autoreleased SPAN_BY
#endif

// Macros for use in the table's column AFTER: statements that run when the call has returned.
#define MORE(a, b, c) (extra[0] = (a), extra[1] = (b), extra[2] = (c), more = extra)
#define FAILED_UNLESS(condition) flags |= (condition) ? 0 : MT_FLAG_FAILED
#define WAITED \
  (flags |= mt_python_flags(), \
   end = mt_delay_end(t, (uint16_t)(span.current >> 32), end))
// Stores the value for which a waiting call waits in the header of the thread's ring (its buffer of records in shared
// memory). If the call hangs, the collector reports that value.
#define WAITS_FOR(value) \
  (atomic_store_explicit(&t->ring->awaited, value, memory_order_relaxed), \
   atomic_store_explicit(&t->ring->awaited_flags, mt_python_flags(), memory_order_relaxed))
#define DISPATCH(grid, group) \
  MORE((uint32_t)grid.width | (uint64_t)grid.height << 32, (uint32_t)grid.depth | (uint64_t)group.width << 32, \
      (uint32_t)group.height | (uint64_t)group.depth << 32)
#define SOURCE(source) \
  uint64_t bytes; \
  uint64_t name = mt_hash_of(t, source, &bytes); \
  MORE(name, bytes, 0)
#define SOURCE_OF(descriptor) \
  void *pool = mt_pool_push(); \
  SOURCE(mt_send_id(descriptor, "source")); \
  mt_pool_pop(pool)
// Replaces the program's completion handler by a block of the tracer that calls it. The block is in this trampoline's
// frame; Metal copies it.
#define WATCH(handler, made) \
  struct async async; \
  handler = mt_async_watch(&async, handler, MT_FAMILY_##made, mt_span_object(&span))
#define PIPELINE(function, descriptor) \
  void *pool = mt_pool_push();         \
  id compiled = function;              \
  MORE(mt_text_of(t, mt_send_id(compiled, "name")), mt_text_of(t, mt_send_id(descriptor, "label")), \
      mt_identity_of(compiled)); \
  mt_pool_pop(pool)
// Finds out which bindings a new pipeline state may write, from Metal's reflection. `asked` is where the program
// wants its own reflection stored, or NULL.
#define REFLECTED(asked, function) mt_bindings_reflect((uint32_t)arg, result, (id *)(asked), function)
#define LABELLED(descriptor) \
  void *pool = mt_pool_push(); \
  uint32_t number; \
  uint64_t compiled = function_of(t, descriptor, &number); \
  MORE(compiled, mt_text_of(t, mt_send_id(descriptor, "label")), number); \
  mt_pool_pop(pool)
// Records which layer (a kernel of Metal Performance Shaders, or a graph) encodes. It must come before the layer's
// first Metal call, otherwise that call is not attributed to the layer.
#define LAYER mt_layer_begin(t, self)
#define RESOURCE(resource) MORE(mt_send_integer(resource, "allocatedSize"), mt_send_integer(resource, \
    "resourceOptions"), 0)
#define SAMPLED() \
  if (mt_sampling_on) MORE(0, mt_sampling_made(t, (uint32_t)arg), 0)
// Counts a command buffer that was created. The second argument says whether the tracer sees when it is freed: it
// does if the object's class is hooked.
#define ALIVE \
  mt_alive_made(t, result, &mt_region->buffers_made, &mt_region->buffers_most, &mt_region->buffers_freed, \
      atomic_load_explicit(&slots_commandBuffer_dealloc[0].original, memory_order_relaxed) != NULL)
// Counts an encoder that was created, as ALIVE counts a command buffer. Does nothing for a call that creates an object
// of another family.
#define ALIVE_IF_ENCODER(family) \
  if ((family) == MT_FAMILY_encoder) \
  mt_alive_made(t, result, &mt_region->encoders_made, &mt_region->encoders_most, &mt_region->encoders_freed, \
      atomic_load_explicit(&slots_encoder_dealloc[0].original, memory_order_relaxed) != NULL)
// Makes the tracer keep the bindings of a new compute encoder if the encoder is serial (type 0). In a concurrent
// encoder dispatches do not wait for each other, so their bindings need not be known.
#define FOLLOW(type) \
  if ((type) == 0) mt_bindings_begin(t, result, (uint32_t)arg)
#define DISPATCHED(indirect) mt_bindings_dispatch(t, self, indirect)
// Convert the index of a buffer or a texture to its place among the bindings. If the index is too large, the result is
// MT_BOUND, at which mt_bind drops the encoder's bindings.
#define BUFFER(index) ((index) < MT_BOUND_BUFFERS ? (index) : MT_BOUND)
#define TEXTURE(index) ((index) < MT_BOUND_TEXTURES ? MT_BOUND_BUFFERS + (index) : MT_BOUND)
#define COMMITTED(list, count) MORE(pair_of(list, count, 0), pair_of(list, count, 2), pair_of(list, count, 4))

static inline uint64_t volume(MTLSize size) { return size.width * size.height * size.depth; }

// Returns the address of a buffer's contents, or 0 if only the GPU can read the buffer: for such a buffer, the
// validation layer reports the request for the address as an error.
static uint64_t contents_of(id buffer, NSUInteger options) {
  enum { STORAGE_SHIFT = 4, STORAGE_MASK = 15, MANAGED = 1 };
  return (options >> STORAGE_SHIFT & STORAGE_MASK) <= MANAGED ? mt_send_integer(buffer, "contents") : 0;
}

static uint64_t text_from(struct thread *t, id object, const char *selector) {
  void *pool = mt_pool_push();
  uint64_t name = mt_text_of(t, mt_send_id(object, selector));
  mt_pool_pop(pool);
  return name;
}

// Returns the name of the function that stands for a pipeline descriptor: the only function of a compute pipeline, or
// the function of the last stage of another pipeline. Stores the function's number. In Metal 4 the descriptor has
// descriptors of functions, which are not Metal objects; the number is then 0.
static uint64_t function_of(struct thread *t, id descriptor, uint32_t *number) {
  enum { MOST_DESCRIPTORS = 4 }; // the descriptor of a specialized function wraps another one
  static const char *const functions[] = {"computeFunction", "fragmentFunction", "tileFunction", "meshFunction",
      "vertexFunction"};
  static const char *const described[] = {"computeFunctionDescriptor", "fragmentFunctionDescriptor",
      "tileFunctionDescriptor", "meshFunctionDescriptor",
                                          "vertexFunctionDescriptor", "machineLearningFunctionDescriptor"};
  id function = NULL;
  for (unsigned i = 0; !function && i < sizeof functions / sizeof *functions; i++) function = mt_send_id(descriptor,
      functions[i]);
  *number = mt_identity_of(function);
  for (unsigned i = 0; !function && i < sizeof described / sizeof *described; i++) function = mt_send_id(descriptor,
      described[i]);
  for (int i = 0; i < MOST_DESCRIPTORS && function && !mt_implementation(function, "name"); i++) function =
      mt_send_id(function, "functionDescriptor");
  return mt_text_of(t, mt_send_id(function, "name"));
}

// Returns the numbers of two objects in one word: of the object at index `at` of a C array in the lower half, of the
// next one in the upper half. An object beyond the end has the number 0.
static uint64_t pair_of(const void *list, NSUInteger count, NSUInteger at) {
  const id *objects = list;
  return (at < count ? mt_identity_of(objects[at]) : 0) | (uint64_t)(at + 1 < count ? mt_identity_of(objects[at + 1]) :
      0) << 32;
}

static void bind_all(struct bindings *b, const id *list, NSRange range, bool textures) {
  for (NSUInteger i = 0; list && i < range.length; i++)
    mt_bind(b, list[i], textures ? TEXTURE(range.location + i) : BUFFER(range.location + i));
}

// Returns the family (a kind of objects, such as queues) in which nested calls of a method count as inner calls. A
// compiler and an archive call methods of devices and libraries. All these are treated as one family, so that only
// the outermost call is recorded.
#define DEPTH_OF(family) ((family) == MT_FAMILY_compiler || (family) == MT_FAMILY_archive \
    || (family) == MT_FAMILY_library ? MT_FAMILY_device : (family))

// Chooses how a call is entered. If BEFORE is empty, one function enters the call and starts its clock, which is
// faster; otherwise the clock is started after BEFORE.
#define ENTRY_FOR(...) FIRST(__VA_OPT__(mt_span_enter, ) mt_span_begin, )
#define START_AFTER(family, call, ...) __VA_OPT__(mt_span_start(&span, family, call))
#define FIRST(a, ...) a

// READY prepares data for the original after the clock was started. It must be no more than a store, because its time
// is measured as part of the call.
#define PLAIN_TRAMPOLINE(which, family, name, ...) FUNCTION(family##_##name##_##which, which, family, name, __VA_ARGS__)
#define FUNCTION(symbol, which, family, name, returns, PARAMETERS, ARGUMENTS, BEFORE, READY, INNER, AFTER)          \
  static TYPE_##returns symbol(id self, SEL _cmd COMMA_LIST(PARAMETERS)) {                                          \
    struct slot *used = &slots_##family##_##name[which];                                                            \
    TYPE_##returns (*original)(id, SEL COMMA_LIST(PARAMETERS)) =                                                    \
        (TYPE_##returns(*)(id, SEL COMMA_LIST(PARAMETERS)))atomic_load_explicit(&used->original, \
            memory_order_acquire); \
    struct span span;                                                                                               \
    if (!SPAN_##returns(ENTRY_FOR(BEFORE), &span, DEPTH_OF(MT_FAMILY_##family), MT_CALL_##family##_##name, self)) { \
      KEEP_##returns(original(self, _cmd COMMA_LIST(ARGUMENTS)));                                                   \
      INNER;                                                                                                        \
      return GIVE_##returns;                                                                                        \
    }                                                                                                               \
    struct thread *t = span.thread;                                                                                 \
    (void)t;                                                                                                        \
    BEFORE;                                                                                                         \
    START_AFTER(DEPTH_OF(MT_FAMILY_##family), MT_CALL_##family##_##name, BEFORE);                                   \
    READY;                                                                                                          \
    KEEP_##returns(original(self, _cmd COMMA_LIST(ARGUMENTS)));                                                     \
    uint64_t end = mt_ticks(), arg = 0;                                                                             \
    unsigned flags = used->flags;                                                                                   \
    uint64_t extra[3], *more = NULL;                                                                                \
    (void)extra;                                                                                                    \
    { AFTER; }                                                                                                      \
    if (more)                                                                                                       \
      mt_span_end_more(&span, end, DEPTH_OF(MT_FAMILY_##family), flags, arg, more);                                 \
    else                                                                                                            \
      mt_span_end(&span, end, DEPTH_OF(MT_FAMILY_##family), flags, arg);                                            \
    return GIVE_##returns;                                                                                          \
  }

// The trampoline (the function that replaces the method) for methods that return an autoreleased object. It consists
// of two functions; autorelease.h says why. The inner function does the work and returns an object that it owns. The
// outer one has no variables, so that its last call compiles to a jump. The span gets the outer one's frame, whose
// return address is in the program. The thread sanitizer is switched off, because it would insert a call after the
// jump.
#define CLAIMING_TRAMPOLINE(which, family, name, returns, PARAMETERS, ARGUMENTS, ...) \
  __attribute__((noinline)) \
  FUNCTION(family##_##name##_claims_##which, which, family, name, returns, PARAMETERS, ARGUMENTS, __VA_ARGS__) \
  __attribute__((no_sanitize("thread"))) \
  static id family##_##name##_##which(id self, SEL _cmd COMMA_LIST(PARAMETERS)) { \
    UNWIND_PERSONALITY; \
    return objc_autoreleaseReturnValue(family##_##name##_claims_##which(self, _cmd COMMA_LIST(ARGUMENTS))); \
  }

// The number of classes that can have a selector hooked: FEW for most selectors, MANY for those that all encoders or
// all resources have. A build for tests needs fewer.
#ifdef MTRACE_SMALL
#define REPEAT_FEW(M, ...) M(0, __VA_ARGS__) M(1, __VA_ARGS__) M(2, __VA_ARGS__)
#define REPEAT_MANY(M, ...) REPEAT_FEW(M, __VA_ARGS__) M(3, __VA_ARGS__)
enum { FEW = 3, MANY = 4 };
#else
#define REPEAT_FEW(M, ...) M(0, __VA_ARGS__) M(1, __VA_ARGS__) M(2, __VA_ARGS__) M(3, __VA_ARGS__) \
    M(4, __VA_ARGS__) M(5, __VA_ARGS__)
#define REPEAT_MANY(M, ...)  \
  REPEAT_FEW(M, __VA_ARGS__) \
  M(6, __VA_ARGS__) M(7, __VA_ARGS__) M(8, __VA_ARGS__) M(9, __VA_ARGS__) M(10, __VA_ARGS__) M(11, __VA_ARGS__) \
      M(12, __VA_ARGS__) M(13, __VA_ARGS__) \
  M(14, __VA_ARGS__) M(15, __VA_ARGS__)
enum { FEW = 6, MANY = 16 };
#endif

// The trampoline (the function that replaces a hooked method) of a choke point, a method that Metal calls for each
// command buffer. It only counts: see hook/coverage.h.
#define AUDIT_TRAMPOLINE(which, family, name, PARAMETERS, ARGUMENTS, choke, passed) \
  static void family##_##name##_##which(id self, SEL _cmd COMMA_LIST(PARAMETERS)) { \
    void (*original)(id, SEL COMMA_LIST(PARAMETERS)) =                              \
        (void (*)(id, SEL COMMA_LIST(PARAMETERS)))atomic_load_explicit(&slots_##family##_##name[which].original, \
            memory_order_acquire); \
    struct audit passage;                                                           \
    mt_audit_enter(&passage, choke, a1, (uintptr_t)__builtin_frame_address(0));     \
    original(self, _cmd COMMA_LIST(ARGUMENTS));                                     \
    passed(&passage, self, a1);                                                     \
  }

// The trampoline (the function that replaces the method) for a getter that programs may poll: see features/polls.h.
// OVER is an expression that says whether `result` is final, so that polling ends.
#define POLL_TRAMPOLINE(which, family, name, OVER) \
  static NSUInteger family##_##name##_##which(id self, SEL _cmd) { \
    UNWIND_PERSONALITY; \
    struct slot *used = &slots_##family##_##name[which]; \
    NSUInteger (*original)(id, SEL) = \
        (NSUInteger(*)(id, SEL))atomic_load_explicit(&used->original, memory_order_acquire); \
    const void *frame = __builtin_frame_address(0); \
    struct thread *t = mt_poll_enter(MT_FAMILY_##family, (uintptr_t)frame); \
    NSUInteger result = original(self, _cmd); \
    if (t) \
      mt_poll_answered(t, MT_FAMILY_##family, MT_CALL_##family##_##name, used->flags, self, result, OVER, frame); \
    return result; \
  }

// The trampoline (the function that replaces the method) for a method that binds arguments. It writes no record, and
// its last step is a jump to the original.
#define BIND_TRAMPOLINE(which, family, name, PARAMETERS, ARGUMENTS, NOTE) \
  static void family##_##name##_##which(id self, SEL _cmd COMMA_LIST(PARAMETERS)) { \
    UNWIND_PERSONALITY; \
    void (*original)(id, SEL COMMA_LIST(PARAMETERS)) = \
        (void (*)(id, SEL COMMA_LIST(PARAMETERS)))atomic_load_explicit(&slots_##family##_##name[which].original, \
            memory_order_acquire); \
    struct bindings *bindings = mt_bindings_here(self); \
    if (bindings) NOTE; \
    original(self, _cmd COMMA_LIST(ARGUMENTS)); \
  }

// The trampoline (the function that replaces the method) for a method that releases an object. The object's number is
// removed before the original runs, because another thread may get a new object at the same address directly
// afterwards. An object without a number, such as those of the self-check or of a framework, is not
// recorded.
#define FREE_TRAMPOLINE(which, family, name, FORGET) \
  static void family##_##name##_##which(id self, SEL _cmd) { \
    struct slot *used = &slots_##family##_##name[which]; \
    void (*original)(id, SEL) = (void (*)(id, SEL))atomic_load_explicit(&used->original, memory_order_acquire); \
    struct span span; \
    if (!mt_identity_find(self)) { \
      original(self, _cmd); \
      return; \
    } \
    if (!SPAN_BY(mt_span_enter, &span, MT_FAMILY_##family, MT_CALL_##family##_##name, self)) { \
      if (mt_span_freed(MT_FAMILY_##family, MT_CALL_##family##_##name, used->flags, self)) { FORGET; } \
      original(self, _cmd); \
      return; \
    } \
    FORGET; \
    mt_identity_retire(self); \
    mt_span_start(&span, MT_FAMILY_##family, MT_CALL_##family##_##name); \
    original(self, _cmd); \
    mt_span_end(&span, mt_ticks(), MT_FAMILY_##family, used->flags, 0); \
  }

// The trampoline (the function that replaces the method) for a method that frees an object. It is used for objects
// whose release is not recorded.
#define DROP_TRAMPOLINE(which, family, name, NOTE) \
  static void family##_##name##_##which(id self, SEL _cmd) { \
    UNWIND_PERSONALITY; \
    void (*original)(id, SEL) = (void (*)(id, SEL))atomic_load_explicit(&slots_##family##_##name[which].original, \
        memory_order_acquire); \
    NOTE; \
    original(self, _cmd); \
  }

#define ADDRESS(which, family, name) (IMP)family##_##name##_##which,

#define ROW(family, name, slots, returns, PARAMETERS, ARGUMENTS, BEFORE, READY, INNER, AFTER) \
  static struct slot slots_##family##_##name[slots]; \
  REPEAT_##slots(TRAMPOLINE_##returns, family, name, returns, PARAMETERS, ARGUMENTS, BEFORE, READY, INNER, AFTER) \
  static const IMP trampolines_##family##_##name[slots] = {REPEAT_##slots(ADDRESS, family, name)};
#define CALL(family, name, slots, returns, PARAMETERS, ARGUMENTS, BEFORE, AFTER) ROW(family, name, slots, returns, \
    PARAMETERS, ARGUMENTS, BEFORE, , , AFTER)
#define MAKE(...) MAKES(object, __VA_ARGS__)
#define MAKE_AUTORELEASED(...) MAKES(autoreleased, __VA_ARGS__)
#define MAKES(returns, family, name, slots, made, PARAMETERS, ARGUMENTS, BEFORE, AFTER) \
  ROW(family, name, slots, returns, PARAMETERS, ARGUMENTS, BEFORE, t->made_inside_count = 0, \
      mt_made_inside(MT_FAMILY_##made, result), \
      t->own_work = true; arg = mt_made(t, MT_FAMILY_##made, result); FAILED_UNLESS(result); \
      ALIVE_IF_ENCODER(MT_FAMILY_##made); AFTER; t->own_work = false)
#define AUDIT(family, name, slots, PARAMETERS, ARGUMENTS, choke, passed) \
  static struct slot slots_##family##_##name[slots]; \
  REPEAT_##slots(AUDIT_TRAMPOLINE, family, name, PARAMETERS, ARGUMENTS, choke, passed) \
  static const IMP trampolines_##family##_##name[slots] = {REPEAT_##slots(ADDRESS, family, name)};
#define FREE(family, name, slots, FORGET) \
  static struct slot slots_##family##_##name[slots]; \
  REPEAT_##slots(FREE_TRAMPOLINE, family, name, FORGET) \
  static const IMP trampolines_##family##_##name[slots] = {REPEAT_##slots(ADDRESS, family, name)};
#define POLL(family, name, slots, returns, PARAMETERS, ARGUMENTS, OVER) \
  static struct slot slots_##family##_##name[slots]; \
  REPEAT_##slots(POLL_TRAMPOLINE, family, name, OVER) \
  static const IMP trampolines_##family##_##name[slots] = {REPEAT_##slots(ADDRESS, family, name)};
#define DROP(family, name, slots, returns, NOTE) \
  static struct slot slots_##family##_##name[slots]; \
  REPEAT_##slots(DROP_TRAMPOLINE, family, name, NOTE) \
  static const IMP trampolines_##family##_##name[slots] = {REPEAT_##slots(ADDRESS, family, name)};
#define BIND(family, name, slots, returns, PARAMETERS, ARGUMENTS, NOTE) \
  static struct slot slots_##family##_##name[slots]; \
  REPEAT_##slots(BIND_TRAMPOLINE, family, name, PARAMETERS, ARGUMENTS, NOTE) \
  static const IMP trampolines_##family##_##name[slots] = {REPEAT_##slots(ADDRESS, family, name)};
// the slots of two hooks, declared here because macros use them before the hooks' rows in the table
static struct slot slots_commandBuffer_dealloc[FEW], slots_encoder_dealloc[MANY];
#include "top/hooks_table.h"
#undef CALL
#undef MAKE
#undef MAKE_AUTORELEASED
#undef AUDIT
#undef POLL
#undef BIND
#undef DROP
#undef FREE

#define COUNT(list) COUNT_ list
#define COUNT_(...) COUNTED(0 __VA_OPT__(, ) __VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define COUNTED(zero, a, b, c, d, e, f, g, h, i, j, k, l, n, ...) n

#define CALL(family, name, slots, returns, PARAMETERS, ARGUMENTS, BEFORE, AFTER) \
  {MT_CALL_##family##_##name, MT_FAMILY_##family, ENCODED_##returns, COUNT(ARGUMENTS), false, slots, \
      trampolines_##family##_##name, slots_##family##_##name},
#define MAKE_AUTORELEASED(...) MAKE(__VA_ARGS__)
#define MAKE(family, name, slots, made, PARAMETERS, ARGUMENTS, BEFORE, AFTER) CALL(family, name, slots, object, \
    PARAMETERS, ARGUMENTS, BEFORE, AFTER)
#define AUDIT(family, name, slots, PARAMETERS, ARGUMENTS, choke, passed) \
  {MT_CALL_##family##_##name, MT_FAMILY_##family, 'v', COUNT(ARGUMENTS), true, slots, \
      trampolines_##family##_##name, slots_##family##_##name},
#define FREE(family, name, slots, FORGET) CALL(family, name, slots, nothing, P(), A(), , )
#define POLL(family, name, slots, returns, PARAMETERS, ARGUMENTS, OVER) \
  CALL(family, name, slots, returns, PARAMETERS, ARGUMENTS, , )
#define DROP(family, name, slots, returns, NOTE) AUDIT(family, name, slots, P(), A(), , )
#define BIND(family, name, slots, returns, PARAMETERS, ARGUMENTS, NOTE) \
  AUDIT(family, name, slots, PARAMETERS, ARGUMENTS, , )
const struct hook mt_hooks[] = {
#include "top/hooks_table.h"
};
const unsigned mt_hook_count = sizeof mt_hooks / sizeof *mt_hooks;
