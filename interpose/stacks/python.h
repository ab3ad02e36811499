// What the Python interpreter in this process, if there is one, is doing on the calling thread.
//
// Rule: nothing here takes the GIL, any lock, or memory; nothing here writes to the interpreter's; and
// anything uncertain is not reported. See python.c for why reading without the lock is safe.
#ifndef MTRACE_PYTHON_H
#define MTRACE_PYTHON_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "system/hidden.h"
#include "core/thread.h"

// One call: a function by its qualified name (CPython 3.11 and later; by its name before), its file, and the line it is
// at, 0 when there is none. StringIDs, whose texts were sent through the ring of the thread that asked.
struct mt_python_frame {
  uint64_t function, file;
  uint32_t line;
};

// Is there an interpreter, and is it one whose frames can be read?
extern MT_HIDDEN _Atomic enum mt_python { MT_NO_PYTHON, MT_UNKNOWN_PYTHON, MT_KNOWN_PYTHON } mt_python;

// Looks for an interpreter, once, before anything else here is asked. Not for the hot path: it asks the dynamic linker.
void mt_python_find(void);

// The calling thread's Python frames, the innermost first and at most max of them. 0 when the thread has none, and when
// they are not known: see mt_python_unknown. Keeps errno.
int mt_python_frames(struct thread *t, struct mt_python_frame *out, int max);

// Does an address lie in the interpreter's own data, where its lock is? False where there is no interpreter, or none
// that is known. The size is stored last, with release, and is 0 until then.
extern MT_HIDDEN struct mt_python_data {
  _Atomic uintptr_t begin, size;
} mt_python_data;
static inline bool mt_python_has(const void *address) {
  uintptr_t size = atomic_load_explicit(&mt_python_data.size, memory_order_acquire);
  return (uintptr_t)address - atomic_load_explicit(&mt_python_data.begin, memory_order_relaxed) < size;
}

// Does the calling thread hold the GIL? 1 it does, 0 it does not, -1 there is no interpreter, or none
// that says.
int mt_python_lock_held(void);

// The same as flags of the record of a wait that the thread has just done. It does not take the lock or give it away in
// between.
static inline unsigned mt_python_flags(void) {
  if (atomic_load_explicit(&mt_python, memory_order_relaxed) == MT_NO_PYTHON) return 0;
  int held = mt_python_lock_held();
  return held < 0 ? 0 : held ? MT_FLAG_HOLDS_INTERPRETER : MT_FLAG_LACKS_INTERPRETER;
}

// One line that says why a Python process's frames are not known; NULL when they are, and in any other process.
const char *mt_python_unknown(void);
#endif
