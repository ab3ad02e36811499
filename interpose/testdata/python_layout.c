// Compares ../python_layout.c with the headers of the Python it is compiled against. Prints what differs, and what it compared.
#define Py_BUILD_CORE 1
#include <Python.h>
#include <frameobject.h>
#include <stddef.h>
#include <stdio.h>
#if PY_VERSION_HEX >= 0x030b0000
#include <internal/pycore_frame.h>
#endif
#include <internal/pycore_runtime.h>
#include "stacks/python_layout.h"

static int different, compared;
static void compare(const char *what, unsigned long ours, unsigned long theirs) {
  compared++;
  if (ours == theirs) return;
  different = 1;
  printf("%s: %lu in the table, %lu in the headers\n", what, ours, theirs);
}
#define AT(ours, type, field) compare(#type "." #field, ours, offsetof(type, field))
#define IS(ours, theirs) compare(#theirs, ours, theirs)

int main(void) {
  AT(PY_OBJECT_TYPE, PyObject, ob_type);
  AT(PY_VAR_SIZE, PyVarObject, ob_size);
  AT(PY_BYTES_DATA, PyBytesObject, ob_sval);
  AT(PY_UNICODE_LENGTH, PyASCIIObject, length);
  AT(PY_UNICODE_HASH, PyASCIIObject, hash);
  AT(PY_UNICODE_STATE, PyASCIIObject, state);
#if PY_VERSION_HEX < 0x030d0000
  const struct mt_python_layout *l = &mt_python_layouts[PY_MINOR_VERSION - PY_FIRST];
  AT(l->code_first_line, PyCodeObject, co_firstlineno);
  AT(l->code_file, PyCodeObject, co_filename);
  IS(l->runtime, sizeof(_PyRuntimeState));
  IS(l->unicode_ascii, sizeof(PyASCIIObject));
  IS(l->unicode_compact, sizeof(PyCompactUnicodeObject));
#if PY_VERSION_HEX < 0x030b0000
  AT(l->thread_frame, PyThreadState, frame);
  AT(l->frame_previous, PyFrameObject, f_back);
  AT(l->frame_code, PyFrameObject, f_code);
  AT(l->frame_instruction, PyFrameObject, f_lasti);
  AT(l->code_name, PyCodeObject, co_name);
  IS(l->frame_owner, 0);
  IS(l->by_c_frame, 0);
#if PY_VERSION_HEX < 0x030a0000
  AT(l->code_lines, PyCodeObject, co_lnotab);
  IS(l->unit, 1);
#else
  AT(l->code_lines, PyCodeObject, co_linetable);
  IS(l->unit, sizeof(_Py_CODEUNIT));
#endif
#else
  AT(l->thread_frame, PyThreadState, cframe);
  AT(l->c_frame, _PyCFrame, current_frame);
  AT(l->frame_previous, _PyInterpreterFrame, previous);
  AT(l->frame_code, _PyInterpreterFrame, f_code);
  AT(l->frame_instruction, _PyInterpreterFrame, prev_instr);
  AT(l->frame_owner, _PyInterpreterFrame, owner);
  AT(l->code_name, PyCodeObject, co_qualname);
  AT(l->code_lines, PyCodeObject, co_linetable);
  AT(l->code_instructions, PyCodeObject, co_code_adaptive);
  IS(l->by_c_frame, 1);
#if PY_VERSION_HEX >= 0x030c0000
  IS(PY_OWNER_NOT_PYTHON, FRAME_OWNED_BY_CSTACK);
#endif
#endif
#else
  const struct mt_python_debug *d = &mt_python_debugs[PY_MINOR_VERSION - PY_FIRST_DEBUG];
#define WORD(ours, field) compare(#field, 8ul * d->ours, offsetof(_Py_DebugOffsets, field))
  IS(8 * PY_DEBUG_COOKIE, offsetof(_Py_DebugOffsets, cookie));
  IS(8 * PY_DEBUG_VERSION, offsetof(_Py_DebugOffsets, version));
  IS(8 * PY_DEBUG_RUNTIME, offsetof(_Py_DebugOffsets, runtime_state.size));
  IS(8 * PY_DEBUG_FREE_THREADED, offsetof(_Py_DebugOffsets, free_threaded));
  WORD(thread_frame, thread_state.current_frame);
  WORD(frame_previous, interpreter_frame.previous);
  WORD(frame_code, interpreter_frame.executable);
  WORD(frame_instruction, interpreter_frame.instr_ptr);
  WORD(frame_owner, interpreter_frame.owner);
  WORD(code_first_line, code_object.firstlineno);
  WORD(code_file, code_object.filename);
  WORD(code_name, code_object.qualname);
  WORD(code_lines, code_object.linetable);
  WORD(code_instructions, code_object.co_code_adaptive);
  WORD(object_type, pyobject.ob_type);
  WORD(bytes_size, bytes_object.ob_size);
  WORD(bytes_data, bytes_object.ob_sval);
  WORD(unicode_size, unicode_object.size);
  WORD(unicode_state, unicode_object.state);
  WORD(unicode_length, unicode_object.length);
  WORD(unicode_ascii, unicode_object.asciiobject_size);
  IS(sizeof(PyUnicodeObject) - 8, sizeof(PyCompactUnicodeObject));
  IS(offsetof(_PyRuntimeState, debug_offsets), 0);
#if PY_VERSION_HEX < 0x030e0000
  IS(PY_OWNER_NOT_PYTHON, FRAME_OWNED_BY_CSTACK);
#else
  IS(PY_OWNER_NOT_PYTHON, FRAME_OWNED_BY_INTERPRETER);
#endif
#endif
  printf("%d compared\n", compared);
  return different;
}
