// Which dispatches of a serial encoder could run at the same time, from the buffers and textures that they bind.
//
// Rule: binding writes no record and reads no clock. The thread keeps the bindings of the encoder it created last and,
// for each bound resource, the level of the last dispatches that read and wrote it. A dispatch's level is one more than
// the highest level it depends on, so the highest level of all is the longest chain of dispatches of which each may
// depend on the one before. The encoder's endEncoding record has the number of dispatches and that length.
//
// What is not known counts as a dependency: a binding counts as written unless the pipeline's reflection says that the
// kernel only reads it. Of an encoder whose kernels may reach resources that are not bound (useResource:usage:,
// useHeap:, indirect commands), or with too many resources, nothing is recorded.
#ifndef MTRACE_BINDINGS_H
#define MTRACE_BINDINGS_H
#include "core/thread.h"
#include "hook/objc.h"

enum {
  MT_BOUND_BUFFERS = 31,  // Metal has no more
  MT_BOUND_TEXTURES = 32, // an encoder that binds more is not followed
  MT_BOUND = MT_BOUND_BUFFERS + MT_BOUND_TEXTURES,
  MT_TOUCHED_BITS = 9,
};

struct touched {
  const void *resource;
  uint32_t epoch;         // the entry is free if this is not the encoder's
  uint32_t read, written; // levels of the last dispatches that did; 0 is none
};

extern MT_HIDDEN struct bindings {
  const void *encoder; // the serial encoder whose bindings are kept; NULL is none
  uint64_t mask;       // of bound, the elements that are valid: the buffers first
  uint64_t writes;     // of them, those that the pipeline may write
  uint32_t epoch, number, resources, dispatches, chain; // number: the encoder's
  const void *bound[MT_BOUND];
  struct touched touched[1 << MT_TOUCHED_BITS];
} mt_bindings[MT_THREADS];

// A thread has taken a ring: it has no encoder.
void mt_bindings_open(struct thread *t);

// A thread has created a serial compute encoder. One that it created before is no longer followed.
static inline void mt_bindings_begin(struct thread *t, const void *encoder, uint32_t number) {
  struct bindings *b = &mt_bindings[t->index];
  b->encoder = encoder;
  b->number = number;
  b->mask = 0;
  b->writes = ~0ull;
  b->epoch++;
  b->resources = b->dispatches = b->chain = 0;
}

// The bindings of an encoder, NULL if they are not kept.
static inline struct bindings *mt_bindings_of(struct thread *t, const void *encoder) {
  struct bindings *b = &mt_bindings[t->index];
  return b->encoder == encoder ? b : NULL;
}

// The bindings of an encoder that a wrapper forwards a call to, which has the wrapper's number; NULL if it has not.
struct bindings *mt_bindings_wrapped(struct bindings *b, const void *encoder);

// The same for a call that binds, on the calling thread, which may have no ring. A wrapper's class may lack the method:
// then only the encoder that it wraps is called.
static inline struct bindings *mt_bindings_here(const void *encoder) {
  struct thread *t = mt_thread_get();
  if (__builtin_expect((uintptr_t)t <= (uintptr_t)MT_THREAD_GONE, 0)) return NULL;
  struct bindings *b = &mt_bindings[t->index];
  if (__builtin_expect(b->encoder == encoder, 1)) return b;
  return b->encoder ? mt_bindings_wrapped(b, encoder) : NULL;
}

// Binds a resource, or nothing, to a place: an index of a buffer, or MT_BOUND_BUFFERS plus an index of a texture. From
// MT_BOUND on the place is not kept, and the encoder's bindings are not followed further.
static inline void mt_bind(struct bindings *b, const void *resource, NSUInteger place) {
  if (place >= MT_BOUND) {
    b->encoder = NULL;
    return;
  }
  b->bound[place] = resource;
  b->mask = resource ? b->mask | 1ull << place : b->mask & ~(1ull << place);
}

// The bindings of the encoder with a number are no longer the whole truth. Wrappers forward rare calls to the encoder
// that they wrap, which has the same number.
static inline void mt_bindings_unknown(struct thread *t, uint32_t number) {
  struct bindings *b = &mt_bindings[t->index];
  if (b->number == number) b->encoder = NULL;
}

// A dispatch was encoded. Indirect is the buffer that the GPU reads its size from, or NULL.
void mt_bindings_dispatch(struct thread *t, const void *encoder, const void *indirect);

// The encoder ends: the number of its dispatches in the upper half, the length of the longest chain in the lower. 0 if
// that is not known.
uint64_t mt_bindings_end(struct thread *t, const void *encoder);

// A function of a library got its number: reads which bindings it may write, if the library can tell (macOS 26).
void mt_bindings_function(uint32_t number, id library, id name);

// A pipeline state (NULL: not) was created from a function and got its number: reads which bindings it may write, from
// the reflection that the program requested and got in *asked (asked may be NULL), that the pipeline state has, or that
// the function had.
void mt_bindings_reflect(uint32_t number, id pipeline, const id *asked, id function);

// The encoder's next dispatches run the pipeline state with this number.
void mt_bindings_pipeline(struct thread *t, const void *encoder, uint32_t number);
#endif
