// Finds which dispatches of a serial encoder could run at the same time, from the buffers and textures that they
// bind.
//
// Rule: binding a resource writes no record and reads no clock. The tracer keeps data only for the encoder that a
// thread created last: the current bindings and, for each resource, the levels of the last dispatches that read and
// wrote the resource. The level of a dispatch is one more than the highest level among the dispatches on which it
// depends. So the highest level is the length of the longest chain of dispatches of which each may depend on the
// previous one. The encoder's endEncoding record has the number of dispatches and that length.
//
// If the tracer does not know how a kernel uses a binding, it assumes a dependency: a binding counts as written unless
// the pipeline's reflection says that the kernel only reads it. Nothing is recorded for an encoder whose kernels may
// reach resources that are not bound (useResource:usage:, useHeap:, indirect commands), or that uses too many
// resources. Otherwise the report would suggest running dispatches together although one depends on the other.
#ifndef MTRACE_BINDINGS_H
#define MTRACE_BINDINGS_H
#include "core/thread.h"
#include "hook/objc.h"

enum {
  MT_BOUND_BUFFERS = 31,  // Metal's limit
  MT_BOUND_TEXTURES = 32, // the tracer's limit; it keeps no bindings for an encoder that exceeds it
  MT_BOUND = MT_BOUND_BUFFERS + MT_BOUND_TEXTURES,
  MT_TOUCHED_BITS = 9,
};

struct touched {
  const void *resource;
  uint32_t epoch;         // the epoch of the encoder; an entry with another epoch is free
  uint32_t read, written; // levels of the last dispatches that read and wrote the resource; 0 is none
};

extern MT_HIDDEN struct bindings {
  const void *encoder; // the serial encoder whose bindings are kept; NULL is none
  uint64_t mask;       // a bit for each valid element of `bound`, buffers first
  uint64_t writes;     // the bits of `mask` whose resources the pipeline may write
  uint32_t epoch, number, resources, dispatches, chain; // number: the encoder's ObjectID; epoch grows with each encoder
  const void *bound[MT_BOUND];
  struct touched touched[1 << MT_TOUCHED_BITS];
} mt_bindings[MT_THREADS];

// Called when a thread has taken a ring (a buffer for its records). An earlier thread may have used the ring; this
// removes the bindings that were kept for that thread's encoder.
void mt_bindings_open(struct thread *t);

// Called when a thread has created a serial compute encoder. The tracer keeps the bindings of this encoder from now on,
// and no longer those of the thread's previous encoder.
static inline void mt_bindings_begin(struct thread *t, const void *encoder, uint32_t number) {
  struct bindings *b = &mt_bindings[t->index];
  b->encoder = encoder;
  b->number = number;
  b->mask = 0;
  b->writes = ~0ull;
  b->epoch++;
  b->resources = b->dispatches = b->chain = 0;
}

// Returns the bindings that the tracer keeps for an encoder. Returns NULL if it keeps none, because the encoder is not
// the one that the thread created last or may use resources that are not bound.
static inline struct bindings *mt_bindings_of(struct thread *t, const void *encoder) {
  struct bindings *b = &mt_bindings[t->index];
  return b->encoder == encoder ? b : NULL;
}

// Returns b if `encoder` has the same number as the encoder whose bindings b keeps; otherwise NULL. A wrapper and the
// encoder inside it have the same number.
struct bindings *mt_bindings_wrapped(struct bindings *b, const void *encoder);

// Returns the bindings of an encoder for a call that binds a resource. Returns NULL if the tracer keeps no bindings for
// the encoder, or if the thread has no ring (a buffer for records). A wrapper's class may lack the binding method. Then
// only the encoder inside the wrapper is called; it is found by its number, which is also the wrapper's.
static inline struct bindings *mt_bindings_here(const void *encoder) {
  struct thread *t = mt_thread_get();
  if (__builtin_expect((uintptr_t)t <= (uintptr_t)MT_THREAD_GONE, 0)) return NULL;
  struct bindings *b = &mt_bindings[t->index];
  if (__builtin_expect(b->encoder == encoder, 1)) return b;
  return b->encoder ? mt_bindings_wrapped(b, encoder) : NULL;
}

// Binds a resource (NULL: nothing) at `place`: a buffer's index, or MT_BOUND_BUFFERS plus a texture's index. There is
// no storage for places from MT_BOUND on: the bindings of an encoder that uses such a place are dropped.
static inline void mt_bind(struct bindings *b, const void *resource, NSUInteger place) {
  if (place >= MT_BOUND) {
    b->encoder = NULL;
    return;
  }
  b->bound[place] = resource;
  b->mask = resource ? b->mask | 1ull << place : b->mask & ~(1ull << place);
}

// Drops the bindings of the encoder with this number, because it may now use resources that are not bound. It compares
// numbers, not addresses: a wrapper forwards rare calls to the encoder inside it, which has another address but the
// same number.
static inline void mt_bindings_unknown(struct thread *t, uint32_t number) {
  struct bindings *b = &mt_bindings[t->index];
  if (b->number == number) b->encoder = NULL;
}

// Called when a dispatch was encoded. indirect is the buffer from which the GPU reads the dispatch's size, or NULL.
void mt_bindings_dispatch(struct thread *t, const void *encoder, const void *indirect);

// Called when the encoder ends. Returns the number of its dispatches in the upper 32 bits. The lower 32 bits are the
// length of the longest chain of dispatches of which each may depend on the previous one. Returns 0 if the tracer keeps
// no bindings for the encoder.
uint64_t mt_bindings_end(struct thread *t, const void *encoder);

// Called when a function of a library has got its object number: caches which bindings the function may write, if the
// library has reflection for it (macOS 26).
void mt_bindings_function(uint32_t number, id library, id name);

// Called when a pipeline state was created from a function and has got its object number; pipeline is NULL if creation
// failed. Caches which bindings the pipeline state may write. The source is the reflection that the program requested
// (*asked, which may be NULL), else the pipeline state's own reflection, else the function's reflection.
void mt_bindings_reflect(uint32_t number, id pipeline, const id *asked, id function);

// Called when the pipeline state with this number was set: the encoder's next dispatches run it.
void mt_bindings_pipeline(struct thread *t, const void *encoder, uint32_t number);
#endif
