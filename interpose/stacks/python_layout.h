// The offsets, in bytes, of the fields of CPython's structures that python.c reads, for each version. A wrong offset
// would make the tracer read arbitrary memory.
#ifndef MTRACE_PYTHON_LAYOUT_H
#define MTRACE_PYTHON_LAYOUT_H
#include <stdbool.h>
#include <stdint.h>

// Offsets that are the same in every known version, for builds without Py_TRACE_REFS or Py_GIL_DISABLED
// (Include/object.h, bytesobject.h, cpython/unicodeobject.h). A build with other values is treated as an unknown
// version.
enum {
  PY_OBJECT_TYPE = 8,
  PY_VAR_SIZE = 16,
  PY_BYTES_DATA = 32,
  PY_UNICODE_LENGTH = 16,
  PY_UNICODE_HASH = 24,
  PY_UNICODE_STATE = 32,
};

// The format of the table by which a code object maps instructions to lines: see python_lines.h.
enum mt_python_lines { PY_LNOTAB, PY_LINETABLE, PY_LOCATIONS };

// Where one version of CPython stores what the tracer reads. Fields without another unit are offsets in bytes.
struct mt_python_layout {
  // the size of the variable _PyRuntime; the GIL is inside, at least a hundred bytes before its end
  uint32_t runtime;
  // in the thread state: the pointer to the innermost frame; if by_c_frame is set, the pointer to a CFrame (a C
  // structure that contains the pointer to the innermost frame)
  uint16_t thread_frame;
  uint16_t c_frame;           // in a CFrame: the pointer to the innermost frame; used only if by_c_frame is set
  uint16_t frame_previous;    // in a frame: the pointer to the calling frame
  uint16_t frame_code;        // in a frame: the pointer to its code object, without the two lowest bits
  // in a frame: the current instruction, as an int that counts units of `unit` bytes from the first instruction; if
  // unit is 0, as a pointer
  uint16_t frame_instruction;
  // in a frame: the byte that says who owns the frame. From PY_OWNER_NOT_PYTHON on, the frame does not belong to a
  // Python function. 0 if the version has no such field
  uint16_t frame_owner;
  uint16_t code_first_line, code_file, code_name, code_lines;
  // in a code object: the first instruction. Needed in versions whose frames hold a pointer to an instruction
  uint16_t code_instructions;
  // the size of a string's header, after which its characters begin: first for ASCII strings, then for other strings
  uint16_t unicode_ascii, unicode_compact;
  uint8_t unit;
  bool by_c_frame;
  uint8_t lines; // enum mt_python_lines
};

enum { PY_OWNER_NOT_PYTHON = 3 }; // FRAME_OWNED_BY_CSTACK, FRAME_OWNED_BY_INTERPRETER, FRAME_OWNED_BY_THREAD_STATE

// For each field of CPython's structures, the index of the 64-bit word in _Py_DebugOffsets that contains its offset.
// Since 3.13 the variable _PyRuntime begins with _Py_DebugOffsets, which describes the running build
// (Include/internal/pycore_runtime.h in 3.13, pycore_debug_offsets.h in 3.14).
struct mt_python_debug {
  uint8_t thread_frame, frame_previous, frame_code, frame_instruction, frame_owner, code_file, code_name, code_lines,
      code_first_line,
      code_instructions, object_type, bytes_size, bytes_data, unicode_size, unicode_state, unicode_length,
          unicode_ascii;
};
enum { PY_DEBUG_COOKIE, PY_DEBUG_VERSION, PY_DEBUG_FREE_THREADED, PY_DEBUG_RUNTIME, PY_DEBUG_WORDS = 96 };

// The supported minor versions: from PY_FIRST the layout is a constant in python_layout.c; from PY_FIRST_DEBUG the
// interpreter describes its own layout.
enum { PY_FIRST = 9, PY_FIRST_DEBUG = 13, PY_LAST = 14 };
extern const struct mt_python_layout mt_python_layouts[PY_FIRST_DEBUG - PY_FIRST];
extern const struct mt_python_debug mt_python_debugs[PY_LAST - PY_FIRST_DEBUG + 1];

// Fills in the layout of Python 3.minor, since 3.13 from the beginning of its _PyRuntime. Returns NULL on success,
// otherwise a text that says why the layout cannot be used.
const char *mt_python_layout_of(struct mt_python_layout *layout, unsigned minor, const uint64_t *runtime);
#endif
