// The Python frames of the calling thread, if there is a Python interpreter in this process.
//
// Rule: nothing here takes the GIL or any lock, allocates, or writes to the interpreter's memory; anything uncertain is
// not reported. See python.c for why reading without the GIL is safe.
#ifndef MTRACE_PYTHON_H
#define MTRACE_PYTHON_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "system/hidden.h"
#include "core/thread.h"

// One frame: the function by its qualified name (CPython 3.11 and later; before, by its name), its file, and its
// current line, 0 when there is none. StringIDs; the texts were sent through the calling thread's ring.
struct mt_python_frame {
  uint64_t function, file;
  uint32_t line;
};

// Is there an interpreter, and can its frames be read?
extern MT_HIDDEN _Atomic enum mt_python { MT_NO_PYTHON, MT_UNKNOWN_PYTHON, MT_KNOWN_PYTHON } mt_python;

// Looks for an interpreter, once, before any other call here. Not for the hot path: it calls the dynamic linker.
void mt_python_find(void);

// The calling thread's Python frames, the innermost first, at most max. Returns 0 when the thread has none, and when
// they are not known: see mt_python_unknown. Keeps errno.
int mt_python_frames(struct thread *t, struct mt_python_frame *out, int max);

// Is an address in the interpreter's own data, where its lock is? False without a known interpreter. The size is stored
// last, with release, and is 0 until then.
extern MT_HIDDEN struct mt_python_data {
  _Atomic uintptr_t begin, size;
} mt_python_data;
static inline bool mt_python_has(const void *address) {
  uintptr_t size = atomic_load_explicit(&mt_python_data.size, memory_order_acquire);
  return (uintptr_t)address - atomic_load_explicit(&mt_python_data.begin, memory_order_relaxed) < size;
}

// Does the calling thread hold the GIL? 1 yes, 0 no, -1 without an interpreter, or when that is not known.
int mt_python_lock_held(void);

// The same as flags for the record of a wait that has just ended. The thread must not have acquired or released the GIL
// in between.
static inline unsigned mt_python_flags(void) {
  if (atomic_load_explicit(&mt_python, memory_order_relaxed) == MT_NO_PYTHON) return 0;
  int held = mt_python_lock_held();
  return held < 0 ? 0 : held ? MT_FLAG_HOLDS_INTERPRETER : MT_FLAG_LACKS_INTERPRETER;
}

// One line that explains why a Python process's frames are not known; NULL when they are, and in any other process.
const char *mt_python_unknown(void);
#endif
