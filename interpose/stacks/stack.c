// Captures call stacks (stack.h). The buffers for a stack are in static memory, because the program's stack may be
// small.
//
// Why following frame pointers is safe: two conditions are checked for each frame. It must be in the thread's own
// stack, between the frame of the running trampoline and the stack's end, which stays mapped as long as the thread
// lives. And it must be farther out than the previous frame. Code without frame pointers may leave any value in the
// register. Such a value ends the walk or, if it points into the stack, yields an address that is in no image; the
// program that reads the trace ignores such an address.
#include "stacks/stack.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/session.h"
#include "stacks/cfi.h"
#include "stacks/images.h"
#include "stacks/python.h"
#include "stacks/symbols.h"
#include "core/text.h"

enum { SENT_STACKS = 512, FRAME_WORDS = 3, WORDS = MT_MAX_NATIVE_FRAMES + FRAME_WORDS * MT_MAX_PYTHON_FRAMES };

struct stacks {
  uintptr_t low, high; // of the thread's stack; both 0 when that is not known
  bool asked;
  struct mt_python_frame python[MT_MAX_PYTHON_FRAMES + 1];
  uint64_t words[WORDS]; // the frames in the form in which they are sent
  uint64_t sent[SENT_STACKS]; // StackIDs whose frames this thread has sent, direct mapped
};
static struct stacks all[MT_THREADS]; // by ring; pages never touched take no memory

unsigned mt_stacks;
const uint8_t mt_calls_with_stack[MT_CALL_COUNT] = MT_CALLS_WITH_STACK;

void mt_stack_start(void) {
  const char *which = getenv("MTRACE_STACKS");
  if (!which) return;
  if (strstr(which, "native")) mt_stacks |= MT_STACKS_NATIVE;
  if (mt_stacks & MT_STACKS_NATIVE) mt_cfi_start();
  if (strstr(which, "python")) mt_stacks |= MT_STACKS_PYTHON;
}

void mt_stack_open(struct thread *t) {
  if (!mt_stacks) return;
  t->stacks = &all[t->index];
  t->stacks->low = t->stacks->high = 0;
  t->stacks->asked = false;
  memset(t->stacks->sent, 0, sizeof t->stacks->sent);
}

// Sends the list of images (program and libraries) now: the drainer (the tracer's thread that sends records to the
// collector) would send them, too, but a short program could end before the drainer runs.
void mt_stack_say(void) {
  if (!mt_stacks) return;
  size_t length;
  const void *images;
  mt_images_start();
  while (images = mt_images_new(&length), length > 0) mt_session_facts(images, length);
  if (mt_stacks & MT_STACKS_PYTHON && mt_python_unknown()) mt_session_warn(0, mt_python_unknown());
}

void mt_stack_fork_begins(void) {
  if (mt_stacks) mt_images_hold();
}
void mt_stack_fork_over(void) {
  if (mt_stacks) mt_images_release();
}

// Returns a return address without the pointer authentication code that arm64e puts into its upper bits; with it the
// address would match no image.
static inline uint64_t plain(uintptr_t address) {
#ifdef __aarch64__
  register uintptr_t x30 __asm__("x30") = address;
  __asm__("hint #7" : "+r"(x30)); // xpaclri; does nothing on a processor without signatures
  return x30;
#else
  return address;
#endif
}

// Returns one of a frame's two words: 0 is the caller's frame pointer, 1 the return address (System V ABI for x86-64,
// 3.2.2; AAPCS64, 6.4.6). Sanitizers are switched off, because they would report a read of another function's
// variables.
__attribute__((no_sanitize_address, no_sanitize_thread)) static inline uintptr_t frame_word(uintptr_t frame, int i) {
  return ((const volatile uintptr_t *)frame)[i];
}

__attribute__((no_sanitize_address, no_sanitize_thread)) static unsigned walk(const struct stacks *s, uintptr_t frame,
    uint64_t *out, bool *cut) {
  enum { FRAME = 2 * sizeof(uintptr_t) };
  unsigned n = 0;
  // the thread runs on another stack, such as a coroutine's, whose end is unknown: only the trampoline's own frame is
  // reliable
  if (frame < s->low || frame >= s->high) {
    *cut = true;
    out[n++] = plain(frame_word(frame, 1));
    return n;
  }
  struct mt_frame f = {frame_word(frame, 1), frame + FRAME, frame_word(frame, 0)};
  while (f.pc) {
    if (n == MT_MAX_NATIVE_FRAMES) {
      *cut = true;
      break;
    }
    out[n++] = plain(f.pc);
    if (mt_cfi_step(&f, s->high)) continue;
    if (f.fp % sizeof(uintptr_t) != 0 || f.fp < f.sp || f.fp > s->high - FRAME) break;
    f = (struct mt_frame){frame_word(f.fp, 1), f.fp + FRAME, frame_word(f.fp, 0)};
  }
  return n;
}

// Returns the StackID of the frames, computed as in collector/wire/stack.go: both must agree, otherwise the collector
// finds no frames for the id.
static uint64_t hash_of(uint64_t aux, const uint64_t *words, unsigned n) {
  uint64_t h = aux;
  for (unsigned i = 0; i < n; i++) {
    h = (h ^ words[i]) * 0x9e3779b97f4a7c15ull;
    h ^= h >> 32;
  }
  return h ? h : 1;
}

// Captures the thread's current stack and returns its StackID. Sends the frames, too, unless this thread has sent
// them recently. Returns 0 when nothing is known.
static uint64_t capture(struct thread *t, uintptr_t frame) {
  struct stacks *s = t->stacks;
  unsigned native = 0, aux = 0, n;
  bool cut = false;
  if (mt_stacks & MT_STACKS_NATIVE) native = walk(s, frame, s->words, &cut);
  if (cut) aux |= MT_STACK_CUT_NATIVE;
  n = native;
  if (mt_stacks & MT_STACKS_PYTHON) {
    int python = mt_python_frames(t, s->python, MT_MAX_PYTHON_FRAMES + 1);
    if (python > MT_MAX_PYTHON_FRAMES) {
      python = MT_MAX_PYTHON_FRAMES;
      aux |= MT_STACK_CUT_PYTHON;
    }
    for (int i = 0; i < python; i++) {
      s->words[n++] = s->python[i].function;
      s->words[n++] = s->python[i].file;
      s->words[n++] = s->python[i].line;
    }
  }
  if (n == 0) return 0;
  aux |= native;
  uint64_t id = hash_of(aux, s->words, n), *sent = &s->sent[id % SENT_STACKS];
  if (*sent != id && mt_fact(t, MT_FACT_STACK, aux, id, (const char *)s->words, n * sizeof *s->words)) {
    *sent = id;
    mt_symbols_want(s->words, native);
  }
  return id;
}

static uint32_t interpreter(void) {
  int held = mt_python_lock_held();
  return held < 0 ? 0 : MT_INTERPRETER_KNOWN | (held ? MT_INTERPRETER_HELD : 0);
}

// Looks up the bounds of the thread's stack, once. On Linux the look-up allocates, so it is made only in a Metal call
// and not in a wait: a wait may be inside the program's memory allocator, where another allocation would deadlock.
static void ask(struct stacks *s, bool metal) {
  if (s->asked || !(mt_stacks & MT_STACKS_NATIVE) || (MT_STACK_BOUNDS_ALLOCATE && !metal)) return;
  int saved = errno;
  s->asked = true;
  if (!mt_stack_bounds(&s->low, &s->high)) s->low = s->high = 0;
  errno = saved;
}

// Writes a record with the thread's stack. It begins at tick begin and ends at `end` or, if that is 0, now. Returns
// the end.
static uint64_t record(struct thread *t, uintptr_t frame, uint64_t begin, uint64_t end) {
  uint64_t id = capture(t, frame);
  uint32_t lock = id ? interpreter() : 0;
  if (!end) end = mt_ticks();
  if (id && mt_thread_begin(t, 1)) {
    mt_record_put(mt_ring_slot(t->ring, t->head), begin, end, id, mt_record_rest(lock, MT_CALL_tracer_stack, 0));
    mt_thread_move_head(t, t->ring, t->head + 1);
    mt_thread_wake();
  }
  return end;
}

uint64_t mt_stack_record(struct thread *t, uintptr_t frame, bool metal) {
  uint64_t begin = mt_ticks();
  ask(t->stacks, metal);
  return record(t, frame, begin, 0);
}

uint64_t mt_stack_begin_wait(unsigned call, const void *frame) {
  if (__builtin_expect(mt_stacks == 0, 1) || !mt_calls_with_stack[call]) return mt_ticks();
  int saved = errno;
  struct thread *t = mt_thread();
  uint64_t begin = t ? mt_stack_record(t, (uintptr_t)frame, false) : mt_ticks();
  errno = saved;
  return begin;
}

void mt_stack_late(const void *frame, uint64_t begin) {
  struct thread *t = mt_stacks ? mt_thread() : NULL;
  if (!t) return;
  ask(t->stacks, false);
  record(t, (uintptr_t)frame, begin, begin);
}
