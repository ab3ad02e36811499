// The offsets of CPython's fields; python_layout.h explains them. testdata/python_layout.c compares these numbers with
// the headers of the installed versions of Python.
#include "stacks/python_layout.h"
#include <string.h>

const struct mt_python_layout mt_python_layouts[PY_FIRST_DEBUG - PY_FIRST] = {
    // 3.9: Include/cpython/pystate.h, frameobject.h, code.h.
    {.runtime = 656, .thread_frame = 24, .frame_previous = 24, .frame_code = 32, .frame_instruction = 104, .unit = 1,
        .lines = PY_LNOTAB,
     .code_first_line = 40, .code_file = 104, .code_name = 112, .code_lines = 120, .unicode_ascii = 48,
         .unicode_compact = 72},
    // 3.10: the same headers. Instructions are counted in pairs of bytes.
    {.runtime = 672, .thread_frame = 24, .frame_previous = 24, .frame_code = 32, .frame_instruction = 96, .unit = 2,
        .lines = PY_LINETABLE,
     .code_first_line = 40, .code_file = 104, .code_name = 112, .code_lines = 120, .unicode_ascii = 48,
         .unicode_compact = 72},
    // 3.11: Include/cpython/pystate.h, code.h, Include/internal/pycore_frame.h.
    {.runtime = 166688, .thread_frame = 56, .by_c_frame = true, .c_frame = 8, .frame_previous = 48, .frame_code = 32,
        .frame_instruction = 56, .frame_owner = 69,
        .lines = PY_LOCATIONS,
     .code_first_line = 72, .code_file = 112, .code_name = 128, .code_lines = 136, .code_instructions = 184,
         .unicode_ascii = 48, .unicode_compact = 72},
    // 3.12: the same headers as 3.11.
    {.runtime = 459944, .thread_frame = 56, .by_c_frame = true, .c_frame = 0, .frame_previous = 8, .frame_code = 0,
        .frame_instruction = 56, .frame_owner = 70,
        .lines = PY_LOCATIONS,
     .code_first_line = 68, .code_file = 112, .code_name = 128, .code_lines = 136, .code_instructions = 192,
         .unicode_ascii = 40, .unicode_compact = 56},
};

const struct mt_python_debug mt_python_debugs[PY_LAST - PY_FIRST_DEBUG + 1] = {
    {.thread_frame = 23, .frame_previous = 29, .frame_code = 30, .frame_instruction = 31, .frame_owner = 33,
        .code_file = 35, .code_name = 37,
     .code_lines = 38, .code_first_line = 39, .code_instructions = 43, .object_type = 45, .bytes_size = 65,
         .bytes_data = 66, .unicode_size = 67,
     .unicode_state = 68, .unicode_length = 69, .unicode_ascii = 70},
    {.thread_frame = 26, .frame_previous = 32, .frame_code = 33, .frame_instruction = 34, .frame_owner = 36,
        .code_file = 40, .code_name = 42,
     .code_lines = 43, .code_first_line = 44, .code_instructions = 48, .object_type = 51, .bytes_size = 75,
         .bytes_data = 76, .unicode_size = 77,
     .unicode_state = 78, .unicode_length = 79, .unicode_ascii = 80},
};

// Stores word in *to if it can be a field's offset, and returns whether it can: it must be below LARGEST, which is
// larger than any of the structures, and a multiple of the field's alignment.
enum { LARGEST = 4096 };
static bool offset(uint64_t word, unsigned alignment, uint16_t *to) {
  *to = (uint16_t)word;
  return word < LARGEST && word % alignment == 0;
}

static const char *from_debug(struct mt_python_layout *l, unsigned minor, const uint64_t *w) {
  const struct mt_python_debug *at = &mt_python_debugs[minor - PY_FIRST_DEBUG];
  if (memcmp(w, "xdebugpy", sizeof *w) != 0 ||
      w[PY_DEBUG_VERSION] >> 16 != (0x0300u | minor)) return "its _Py_DebugOffsets are not those of its version";
  if (w[PY_DEBUG_FREE_THREADED]) return "it is a build without the GIL";
  if (w[at->object_type] != PY_OBJECT_TYPE || w[at->bytes_size] != PY_VAR_SIZE || w[at->bytes_data] != PY_BYTES_DATA ||
      w[at->unicode_length] != PY_UNICODE_LENGTH || w[at->unicode_state] != PY_UNICODE_STATE ||
          w[at->unicode_size] < w[at->unicode_ascii] + 8)
    return "the layout of its objects is unknown";
  enum { LARGEST_RUNTIME = 16 << 20 };
  if (w[PY_DEBUG_RUNTIME] > LARGEST_RUNTIME) return "its _Py_DebugOffsets contain an impossible size";
  *l = (struct mt_python_layout){.runtime = (uint32_t)w[PY_DEBUG_RUNTIME], .lines = PY_LOCATIONS};
  bool all = offset(w[at->thread_frame], 8, &l->thread_frame) && offset(w[at->frame_previous], 8, &l->frame_previous) &&
             offset(w[at->frame_code], 8, &l->frame_code) && offset(w[at->frame_instruction], 8,
                 &l->frame_instruction) &&
             offset(w[at->frame_owner], 1, &l->frame_owner) && offset(w[at->code_first_line], 4, &l->code_first_line) &&
             offset(w[at->code_file], 8, &l->code_file) && offset(w[at->code_name], 8, &l->code_name) &&
                 offset(w[at->code_lines], 8, &l->code_lines) &&
             offset(w[at->code_instructions], 2, &l->code_instructions) && offset(w[at->unicode_ascii], 8,
                 &l->unicode_ascii) &&
             // the header of strings other than ASCII, without its last pointer, which only instances of subclasses
             // of str use
             offset(w[at->unicode_size] - 8, 8, &l->unicode_compact);
  return all ? NULL : "its _Py_DebugOffsets contain impossible offsets";
}

const char *mt_python_layout_of(struct mt_python_layout *layout, unsigned minor, const uint64_t *runtime) {
  if (minor < PY_FIRST || minor > PY_LAST) return "its version is not one of 3.9 to 3.14";
  if (minor >= PY_FIRST_DEBUG) return runtime ? from_debug(layout, minor, runtime) : "it does not export _PyRuntime";
  *layout = mt_python_layouts[minor - PY_FIRST];
  return NULL;
}
