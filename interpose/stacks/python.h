// Reads the calling thread's Python frames, if there is a Python interpreter in this process.
//
// Rule: nothing here takes the GIL or another lock, allocates, or writes to the interpreter's memory; anything
// uncertain is not reported. python.c explains why reading without the GIL is safe.
#ifndef MTRACE_PYTHON_H
#define MTRACE_PYTHON_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "system/hidden.h"
#include "core/thread.h"

// One Python frame: the function (its qualified name since CPython 3.11, before that its name), its file, and its
// current line, 0 if there is none. Function and file are StringIDs (hashes that stand for texts in the trace); the
// texts were sent through the calling thread's ring (its buffer of records in shared memory).
struct mt_python_frame {
  uint64_t function, file;
  uint32_t line;
};

// Says whether this process contains a Python interpreter, and whether the interpreter's frames can be read.
extern MT_HIDDEN _Atomic enum mt_python { MT_NO_PYTHON, MT_UNKNOWN_PYTHON, MT_KNOWN_PYTHON } mt_python;

// Looks for an interpreter. Call it once, before any other function here, and not in every recorded call: it calls
// the dynamic linker.
void mt_python_find(void);

// Stores the calling thread's Python frames in out, the innermost first, at most max. Returns their number: 0 when
// the thread has none, or when they cannot be read (mt_python_unknown says why). Keeps errno.
int mt_python_frames(struct thread *t, struct mt_python_frame *out, int max);

// Returns whether an address is in the interpreter's own data, where the GIL is; false without a known interpreter.
// Memory order: size is 0 until the data is known, and is stored last, with release. A reader that sees size
// therefore also sees begin.
extern MT_HIDDEN struct mt_python_data {
  _Atomic uintptr_t begin, size;
} mt_python_data;
static inline bool mt_python_has(const void *address) {
  uintptr_t size = atomic_load_explicit(&mt_python_data.size, memory_order_acquire);
  return (uintptr_t)address - atomic_load_explicit(&mt_python_data.begin, memory_order_relaxed) < size;
}

// Returns 1 if the calling thread holds the GIL, 0 if it does not, -1 without an interpreter or when that is unknown.
int mt_python_lock_held(void);

// Returns, as flags for a record, whether the thread held the GIL (CPython's global interpreter lock) during a wait
// that has just ended. Call it before the thread acquires or releases the GIL again, otherwise the result is wrong.
static inline unsigned mt_python_flags(void) {
  if (atomic_load_explicit(&mt_python, memory_order_relaxed) == MT_NO_PYTHON) return 0;
  int held = mt_python_lock_held();
  return held < 0 ? 0 : held ? MT_FLAG_HOLDS_INTERPRETER : MT_FLAG_LACKS_INTERPRETER;
}

// Returns one line for the user that says why this process's Python frames cannot be read; NULL when they can, and
// without Python.
const char *mt_python_unknown(void);
#endif
