// The offsets of the fields of CPython that python.c reads, by version, in bytes.
#ifndef MTRACE_PYTHON_LAYOUT_H
#define MTRACE_PYTHON_LAYOUT_H
#include <stdbool.h>
#include <stdint.h>

// The same in every known version, for builds without Py_TRACE_REFS or Py_GIL_DISABLED: Include/object.h,
// bytesobject.h, cpython/unicodeobject.h. A build with other values counts as unknown.
enum {
  PY_OBJECT_TYPE = 8,
  PY_VAR_SIZE = 16,
  PY_BYTES_DATA = 32,
  PY_UNICODE_LENGTH = 16,
  PY_UNICODE_HASH = 24,
  PY_UNICODE_STATE = 32,
};

// The format in which a code object maps instructions to lines: see python_lines.h.
enum mt_python_lines { PY_LNOTAB, PY_LINETABLE, PY_LOCATIONS };

struct mt_python_layout {
  // the size of _PyRuntime; the GIL ends at least a hundred bytes before its end
  uint32_t runtime;
  // in the thread state: the innermost frame; or, with by_c_frame, the C frame that refers to it
  uint16_t thread_frame;
  uint16_t c_frame;           // in that C frame: the innermost frame
  uint16_t frame_previous;    // in a frame: the calling frame
  uint16_t frame_code;        // its code object; the two lowest bits are not part of the address
  // its position: an int, in units of unit bytes from the first instruction; or, if unit is 0, a pointer
  uint16_t frame_instruction;
  // a byte: values from PY_OWNER_NOT_PYTHON on mark a frame of another kind; 0 when frames have no owner
  uint16_t frame_owner;
  uint16_t code_first_line, code_file, code_name, code_lines;
  // in a code object: the first instruction, for frames that hold a pointer to an instruction
  uint16_t code_instructions;
  // the size of a string's header, before its characters: of ASCII strings, of others
  uint16_t unicode_ascii, unicode_compact;
  uint8_t unit;
  bool by_c_frame;
  uint8_t lines; // enum mt_python_lines
};

enum { PY_OWNER_NOT_PYTHON = 3 }; // FRAME_OWNED_BY_CSTACK, FRAME_OWNED_BY_INTERPRETER, FRAME_OWNED_BY_THREAD_STATE

// The indexes of words in _Py_DebugOffsets, with which _PyRuntime begins since 3.13 and which contains the offsets of
// the running build: Include/internal/pycore_runtime.h in 3.13, pycore_debug_offsets.h in 3.14.
struct mt_python_debug {
  uint8_t thread_frame, frame_previous, frame_code, frame_instruction, frame_owner, code_file, code_name, code_lines,
      code_first_line,
      code_instructions, object_type, bytes_size, bytes_data, unicode_size, unicode_state, unicode_length,
          unicode_ascii;
};
enum { PY_DEBUG_COOKIE, PY_DEBUG_VERSION, PY_DEBUG_FREE_THREADED, PY_DEBUG_RUNTIME, PY_DEBUG_WORDS = 96 };

// The minor versions whose layout is a constant here, and those that describe themselves.
enum { PY_FIRST = 9, PY_FIRST_DEBUG = 13, PY_LAST = 14 };
extern const struct mt_python_layout mt_python_layouts[PY_FIRST_DEBUG - PY_FIRST];
extern const struct mt_python_debug mt_python_debugs[PY_LAST - PY_FIRST_DEBUG + 1];

// Fills in the layout of 3.minor from the start of its _PyRuntime. NULL on success, otherwise the reason why the layout
// is unreliable.
const char *mt_python_layout_of(struct mt_python_layout *layout, unsigned minor, const uint64_t *runtime);
#endif
