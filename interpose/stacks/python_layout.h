// Where CPython keeps what python.c reads, by version. Offsets are bytes.
#ifndef MTRACE_PYTHON_LAYOUT_H
#define MTRACE_PYTHON_LAYOUT_H
#include <stdbool.h>
#include <stdint.h>

// The same in every version known, for builds without Py_TRACE_REFS or Py_GIL_DISABLED: Include/object.h,
// bytesobject.h, cpython/unicodeobject.h. Places with which a build disagrees make it an unknown one.
enum {
  PY_OBJECT_TYPE = 8,
  PY_VAR_SIZE = 16,
  PY_BYTES_DATA = 32,
  PY_UNICODE_LENGTH = 16,
  PY_UNICODE_HASH = 24,
  PY_UNICODE_STATE = 32,
};

// How a code object says which line an instruction is of: see python_lines.h.
enum mt_python_lines { PY_LNOTAB, PY_LINETABLE, PY_LOCATIONS };

struct mt_python_layout {
  // the size of _PyRuntime, in which the GIL ends a hundred bytes before the end or earlier
  uint32_t runtime;
  uint16_t thread_frame;      // in the thread state: the innermost frame; or, by_c_frame, the C frame that holds it
  uint16_t c_frame;           // in that C frame: the innermost frame
  uint16_t frame_previous;    // in a frame: the one that called it
  uint16_t frame_code;        // its code object; the two lowest bits are not part of the address
  // where it is: an int, in units of unit bytes from the first instruction; or, unit 0, a pointer to it
  uint16_t frame_instruction;
  uint16_t frame_owner;       // a byte: from PY_OWNER_NOT_PYTHON on it is no Python function's; 0 when frames have none
  uint16_t code_first_line, code_file, code_name, code_lines;
  uint16_t code_instructions; // in a code object: the first instruction, when frames hold a pointer to theirs
  // the size of a string's header, before its characters: of ASCII ones, of others
  uint16_t unicode_ascii, unicode_compact;
  uint8_t unit;
  bool by_c_frame;
  uint8_t lines; // enum mt_python_lines
};

enum { PY_OWNER_NOT_PYTHON = 3 }; // FRAME_OWNED_BY_CSTACK, FRAME_OWNED_BY_INTERPRETER, FRAME_OWNED_BY_THREAD_STATE

// The words of _Py_DebugOffsets, with which _PyRuntime begins since 3.13 and which say the offsets of the very build,
// by their index: Include/internal/pycore_runtime.h in 3.13, pycore_debug_offsets.h in 3.14.
struct mt_python_debug {
  uint8_t thread_frame, frame_previous, frame_code, frame_instruction, frame_owner, code_file, code_name, code_lines,
      code_first_line,
      code_instructions, object_type, bytes_size, bytes_data, unicode_size, unicode_state, unicode_length,
          unicode_ascii;
};
enum { PY_DEBUG_COOKIE, PY_DEBUG_VERSION, PY_DEBUG_FREE_THREADED, PY_DEBUG_RUNTIME, PY_DEBUG_WORDS = 96 };

// The minor versions whose layout is a constant, and those that describe themselves.
enum { PY_FIRST = 9, PY_FIRST_DEBUG = 13, PY_LAST = 14 };
extern const struct mt_python_layout mt_python_layouts[PY_FIRST_DEBUG - PY_FIRST];
extern const struct mt_python_debug mt_python_debugs[PY_LAST - PY_FIRST_DEBUG + 1];

// Makes the layout of 3.minor from the start of its _PyRuntime. NULL when it did; else why it cannot be relied upon.
const char *mt_python_layout_of(struct mt_python_layout *layout, unsigned minor, const uint64_t *runtime);
#endif
