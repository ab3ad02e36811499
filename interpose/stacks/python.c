// Reads the Python frames of the calling thread (python.h).
//
// Why it is safe to read without the GIL: the thread state is the one that the interpreter keeps for the calling thread
// under a thread key. Only the thread itself pushes, advances and pops its frames, in the evaluation loop. Now the
// thread runs this code: it is inside a C call from that loop, or waits for the GIL. So the chain of frames does not
// change. Every frame holds a reference to its code object, and the code object to its name, file and line table, which
// are immutable. A frame's instruction pointer may be one instruction behind, if the loop released the GIL between two
// instructions. A pointer outside the code (a frame that has not started, a compiled trace) counts as the first
// instruction. Other threads only write reference counts and bytecode, which are not read.
//
// Where this reasoning fails, nothing is read: builds without the GIL, unknown versions, and an interpreter that is
// starting or finalizing. While finalizing, the interpreter removes the frames of daemon threads that are still in C.
// It announces that before, and the announcement is checked before each frame. One gap remains: the system may
// suspend a thread between the check and the few loads after it. If the whole finalization happens in that time, the
// thread reads freed memory.
//
// A cache per thread maps a code object and an instruction to a frame. A code object may be freed and another created
// at its address, so each entry has a stamp of the values from which its texts and line were made.
#include "stacks/python.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "stacks/python_layout.h"
#include "stacks/python_lines.h"
#include "stacks/python_text.h"
#include "core/text.h"

static struct {
  int (*initialized)(void), (*finalizing)(void);
  void *(*state_of_thread)(void); // for 3.11 and before, with subinterpreters: returns the thread's first state
  // returns the thread state of the thread that holds the GIL (until 3.11), or of this thread if it holds the GIL
  // (since 3.12)
  void *(*state_of_lock)(void);
  int (*check)(void);
  const void *code_type;
  struct mt_python_layout layout;
  bool state_of_lock_is_ours;
  char unknown[128];
} python;

_Atomic enum mt_python mt_python;
struct mt_python_data mt_python_data;

static bool find_lock(void) {
  python.finalizing = (int (*)(void))dlsym(RTLD_DEFAULT, "Py_IsFinalizing");
  if (!python.finalizing) python.finalizing = (int (*)(void))dlsym(RTLD_DEFAULT, "_Py_IsFinalizing");
  python.state_of_thread = (void *(*)(void))dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");
  python.state_of_lock = (void *(*)(void))dlsym(RTLD_DEFAULT, "PyThreadState_GetUnchecked");
  if (!python.state_of_lock) python.state_of_lock = (void *(*)(void))dlsym(RTLD_DEFAULT, "_PyThreadState_UncheckedGet");
  python.check = (int (*)(void))dlsym(RTLD_DEFAULT, "PyGILState_Check");
  return python.finalizing && python.state_of_thread && python.state_of_lock && python.check;
}

// Finds out how to read the frames of this version of Python. Returns NULL on success, otherwise a text that says why
// it cannot.
static const char *find_frames(const char *version) {
  char *end;
  unsigned long major = strtoul(version, &end, 10), minor = *end == '.' ? strtoul(end + 1, &end, 10) : 0;
  if (*end == '.') strtoul(end + 1, &end, 10);
  if (major != 3) return "its version is not one of 3.9 to 3.14";
  if (*end == 'a' || *end == 'b') return "it is not a released version";
  const void *runtime = dlsym(RTLD_DEFAULT, "_PyRuntime");
  const char *why = mt_python_layout_of(&python.layout, (unsigned)minor, runtime);
  if (why) return why;
  if (!find_lock()) return "it does not export the functions that tell which thread holds the GIL";
  python.state_of_lock_is_ours = minor >= 12;
  // Check that objects store their type at PY_OBJECT_TYPE: the type of code objects is itself an object, whose type
  // must be the type of types.
  const void *type = dlsym(RTLD_DEFAULT, "PyType_Type");
  python.code_type = dlsym(RTLD_DEFAULT, "PyCode_Type");
  if (!python.code_type || !type || *(const void *const *)((const char *)python.code_type + PY_OBJECT_TYPE) != type)
    return "the layout of its objects is unknown";
  atomic_store_explicit(&mt_python_data.begin, (uintptr_t)runtime, memory_order_relaxed);
  if (runtime) atomic_store_explicit(&mt_python_data.size, python.layout.runtime, memory_order_release);
  return NULL;
}

void mt_python_find(void) {
  if (atomic_load_explicit(&mt_python, memory_order_relaxed) != MT_NO_PYTHON) return;
  const char *(*version)(void) = (const char *(*)(void))dlsym(RTLD_DEFAULT, "Py_GetVersion");
  python.initialized = (int (*)(void))dlsym(RTLD_DEFAULT, "Py_IsInitialized");
  if (!version || !python.initialized) {
    dlerror(); // clear the error text: the program must not see it
    return;
  }
  const char *text = version(), *why = find_frames(text);
  if (why) snprintf(python.unknown, sizeof python.unknown, "no frames and no locks of Python %.*s: %s",
      (int)strcspn(text, " "), text, why);
  atomic_store_explicit(&mt_python, why ? MT_UNKNOWN_PYTHON : MT_KNOWN_PYTHON, memory_order_release);
}

const char *mt_python_unknown(void) { return atomic_load_explicit(&mt_python,
    memory_order_acquire) == MT_UNKNOWN_PYTHON ? python.unknown : NULL; }

int mt_python_lock_held(void) {
  if (atomic_load_explicit(&mt_python, memory_order_acquire) != MT_KNOWN_PYTHON) return -1;
  void *holds = python.state_of_lock();
  if (python.state_of_lock_is_ours) return holds != NULL;
  if (holds && holds == python.state_of_thread()) return 1;
  // In a process with subinterpreters the check returns true for all threads. The result is then unknown: this thread
  // may belong to another interpreter.
  return python.check() ? -1 : 0;
}

static const char *pointer(const char *object, unsigned offset) {
  const char *found;
  memcpy(&found, object + offset, sizeof found);
  return found;
}

static int64_t integer(const char *object, unsigned offset) {
  int value;
  memcpy(&value, object + offset, sizeof value);
  return value;
}

static uint64_t word(const char *object, unsigned offset) {
  uint64_t value;
  memcpy(&value, object + offset, sizeof value);
  return value;
}

// What the tracer read from a frame and its code object: the code object, its function and file name, and its line
// table. The frame's texts and line are computed from these.
struct source {
  const char *code, *name, *file, *lines;
  int64_t first_line, at; // at: the current instruction, in bytes from the first; negative before the first
};

enum { KNOWN_FRAMES = 128 };
struct known_frame {
  const char *code;
  int64_t at;
  uint64_t stamp;
  struct mt_python_frame frame;
};
static struct known_frame known_frames[MT_RING_COUNT][KNOWN_FRAMES]; // by ring; pages never touched take no memory

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t h = (a ^ b) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 29;
}

// Returns a stamp (a hash) of the values behind a cached frame. It includes the strings' hashes and a part of the
// line table. Addresses would not suffice: a new code object at a freed one's address may even have its strings at
// the same addresses.
static uint64_t stamp_of(const struct source *s) {
  uint64_t size = word(s->lines, PY_VAR_SIZE);
  uint64_t h = mix((uintptr_t)s->name, (uint64_t)s->first_line);
  h = mix(h, (uintptr_t)s->file ^ size << 48);
  h = mix(h, (uintptr_t)s->lines ^ word(s->name, PY_UNICODE_LENGTH) << 48);
  h = mix(h, word(s->name, PY_UNICODE_HASH));
  h = mix(h, word(s->file, PY_UNICODE_HASH));
  return size >= 8 ? mix(h, word(s->lines, PY_BYTES_DATA)) : h;
}

// Sends a Python string's text and stores its StringID (the hash that stands for a text in the trace). Returns false
// if there was no space for it in the ring.
static bool send(struct thread *t, const char *string, uint64_t *name) {
  char text[MT_MAX_FACT_TEXT];
  *name = mt_text(t, text, mt_python_text(&python.layout, string, text, sizeof text));
  return *name == 0 || t->sent[*name % MT_SENT_TEXTS] == *name;
}

static void decode(struct thread *t, const struct source *s, struct mt_python_frame *frame, struct known_frame *entry,
    uint64_t stamp) {
  int64_t size = (int64_t)word(s->lines, PY_VAR_SIZE);
  frame->line = mt_python_line(python.layout.lines, (const uint8_t *)s->lines + PY_BYTES_DATA, size > 0 ? (size_t)size :
      0, s->first_line, s->at);
  bool sent = send(t, s->name, &frame->function);
  if (send(t, s->file, &frame->file) && sent) *entry = (struct known_frame){s->code, s->at, stamp, *frame};
}

static struct mt_python_frame describe(struct thread *t, const struct source *s) {
  struct known_frame *mine = known_frames[t->ring - mt_region->rings];
  if (!t->python_known) memset(mine, 0, sizeof known_frames[0]);
  t->python_known = true;
  struct known_frame *entry = &mine[mix((uintptr_t)s->code, (uint64_t)s->at) % KNOWN_FRAMES];
  uint64_t stamp = stamp_of(s);
  struct mt_python_frame frame;
  if (entry->code == s->code && entry->at == s->at && entry->stamp == stamp) return entry->frame;
  decode(t, s, &frame, entry, stamp);
  return frame;
}

// Returns a frame's current position in its code, in bytes from the first instruction; -1 if it is outside the code.
static int64_t place_of(const char *frame, const char *code) {
  const struct mt_python_layout *l = &python.layout;
  if (l->unit) return integer(frame, l->frame_instruction) * l->unit;
  uintptr_t at = (uintptr_t)pointer(frame, l->frame_instruction) - (uintptr_t)(code + l->code_instructions);
  return at < 2 * word(code, PY_VAR_SIZE) ? (int64_t)at : -1;
}

// Reads a frame's values into *s. Returns false if it is not a Python function's frame, such as the interpreter's own
// entry frames.
static bool read_frame(const char *frame, struct source *s) {
  const struct mt_python_layout *l = &python.layout;
  if (l->frame_owner && (unsigned char)frame[l->frame_owner] >= PY_OWNER_NOT_PYTHON) return false;
  s->code = (const char *)((uintptr_t)pointer(frame, l->frame_code) & ~(uintptr_t)3);
  if (!s->code || pointer(s->code, PY_OBJECT_TYPE) != python.code_type) return false;
  s->name = pointer(s->code, l->code_name);
  s->file = pointer(s->code, l->code_file);
  s->lines = pointer(s->code, l->code_lines);
  s->first_line = integer(s->code, l->code_first_line);
  s->at = place_of(frame, s->code);
  return s->name && s->file && s->lines;
}

static bool running(void) { return python.initialized() && !python.finalizing(); }

static const char *innermost(void) {
  const char *state = running() ? python.state_of_thread() : NULL;
  const char *frame = state ? pointer(state, python.layout.thread_frame) : NULL;
  return frame && python.layout.by_c_frame ? pointer(frame, python.layout.c_frame) : frame;
}

int mt_python_frames(struct thread *t, struct mt_python_frame *out, int max) {
  if (atomic_load_explicit(&mt_python, memory_order_acquire) != MT_KNOWN_PYTHON) return 0;
  int saved = errno, n = 0;
  struct source source;
  // Visit at most twice max frames, because between two Python frames there is at most one of another kind. In a
  // damaged chain this limit ends the loop.
  int steps = 2 * max + 1;
  for (const char *frame = innermost(); frame && n < max && steps > 0 && running(); frame = pointer(frame,
      python.layout.frame_previous), steps--)
    if (read_frame(frame, &source)) out[n++] = describe(t, &source);
  errno = saved;
  return n;
}
