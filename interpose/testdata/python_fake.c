// A process that looks to python.c like one with CPython 3.14 in it: the functions it asks for, and frames, code objects and
// strings laid out here by hand, at offsets that the fake's _PyRuntime describes: for the ways in which a description can be wrong.
// Usage: python_fake LIBRARY HOW; the library is pyframes.c.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { // offsets unlike any real version's
  STATE_FRAME = 136,
  FRAME_CODE = 24, FRAME_PREVIOUS = 40, FRAME_INSTRUCTION = 8, FRAME_OWNER = 51,
  CODE_FILE = 72, CODE_NAME = 24, CODE_LINES = 96, CODE_FIRST = 60, CODE_INSTRUCTIONS = 110,
  ASCII_SIZE = 48, COMPACT_SIZE = 80,
};

EXPORT char PyType_Type[64], PyCode_Type[64];
EXPORT uint64_t _PyRuntime[128];
static const char *version = "3.14.0 (a fake)";
static int is_initialized = 1, is_finalizing, checks;
static char state[256], *state_now = state, *lock_now = state;
static char frames[4][64], codes[2][256], strings[3][256], bytes[2][64];

EXPORT const char *Py_GetVersion(void) { return version; }
EXPORT int Py_IsInitialized(void) { return is_initialized; }
EXPORT int Py_IsFinalizing(void) { return is_finalizing; }
EXPORT void *PyGILState_GetThisThreadState(void) { return state_now; }
EXPORT void *PyThreadState_GetUnchecked(void) { return lock_now; }
EXPORT int PyGILState_Check(void) { return checks; }

static void put(void *object, unsigned offset, const void *value, size_t size) { memcpy((char *)object + offset, value, size); }
static void put_pointer(void *object, unsigned offset, const void *value) { put(object, offset, &value, sizeof value); }
static void put_word(void *object, unsigned offset, uint64_t value) { put(object, offset, &value, sizeof value); }

static void make_string(char *object, const void *data, unsigned kind, size_t length) {
  int ascii = kind == 0;
  uint32_t bits = 1 | (ascii ? 1 : kind) << 2 | 1 << 5 | ascii << 6;
  put_word(object, 16, length);
  put(object, 32, &bits, sizeof bits);
  memcpy(object + (ascii ? ASCII_SIZE : COMPACT_SIZE), data, length * (ascii ? 1 : kind));
}

static void make_code(char *code, char *name, char *file, char *lines, const uint8_t *table, size_t size, int first) {
  put_pointer(code, 8, PyCode_Type);
  put_word(code, 16, 40); // instructions of two bytes
  put_pointer(code, CODE_NAME, name);
  put_pointer(code, CODE_FILE, file);
  put_pointer(code, CODE_LINES, lines);
  put(code, CODE_FIRST, &first, sizeof first);
  put_word(lines, 16, size);
  memcpy(lines + 32, table, size);
}

// A frame, its code with the tag bits that 3.14 keeps in the reference.
static void make_frame(char *frame, char *code, char *previous, int at, int owner, int tag) {
  put_pointer(frame, FRAME_CODE, code ? code + tag : NULL);
  put_pointer(frame, FRAME_PREVIOUS, previous);
  put_pointer(frame, FRAME_INSTRUCTION, code ? code + CODE_INSTRUCTIONS + at : NULL);
  frame[FRAME_OWNER] = (char)owner;
}

static void make_runtime(void) {
  uint64_t *w = _PyRuntime;
  memcpy(w, "xdebugpy", 8);
  w[1] = 0x030e00f0;
  w[26] = STATE_FRAME;
  w[32] = FRAME_PREVIOUS, w[33] = FRAME_CODE, w[34] = FRAME_INSTRUCTION, w[36] = FRAME_OWNER;
  w[40] = CODE_FILE, w[42] = CODE_NAME, w[43] = CODE_LINES, w[44] = CODE_FIRST, w[48] = CODE_INSTRUCTIONS;
  w[51] = 8, w[75] = 16, w[76] = 32, w[77] = COMPACT_SIZE + 8, w[78] = 32, w[79] = 16, w[80] = ASCII_SIZE;
}

int main(int argc, char **argv) {
  const char *how = argc > 2 ? argv[2] : "";
  static const uint8_t lines_of_f[] = {0x80 | 11 << 3 | 3, 0, 1, 0x80 | 15 << 3 | 0, 0x80 | 13 << 3 | 7, 0x7e, 0x01}; // +1, none, +63
  static const uint8_t lines_of_g[] = {0x80 | 14 << 3 | 7, 7, 0, 1, 1, 0x80 | 3, 5};                               // -3, +0
  static const uint16_t wide[] = {0x8a08, 0x7b97, 'x'};
  make_string(strings[0], "Outer.f", 0, 7);
  make_string(strings[1], wide, 2, 3);
  make_string(strings[2], "/a/file.py", 0, 10);
  make_code(codes[0], strings[0], strings[2], bytes[0], lines_of_f, sizeof lines_of_f, 10);
  make_code(codes[1], strings[1], strings[2], bytes[1], lines_of_g, sizeof lines_of_g, 50);
  make_frame(frames[3], codes[1], NULL, 4, 1, 1);      // a generator's, tagged
  make_frame(frames[2], NULL, frames[3], 0, 4, 0);     // the sentinel of a thread state
  make_frame(frames[1], codes[0], frames[2], 14, 0, 0);
  make_frame(frames[0], codes[0], frames[1], 2, 0, 0);
  put_pointer(state, STATE_FRAME, frames[0]);
  put_pointer(PyCode_Type, 8, PyType_Type);
  make_runtime();

  if (!strcmp(how, "cookie")) memcpy(_PyRuntime, "xdebugpx", 8);
  if (!strcmp(how, "other-version")) _PyRuntime[1] = 0x030d00f0;
  if (!strcmp(how, "free-threaded")) _PyRuntime[2] = 1;
  if (!strcmp(how, "absurd")) _PyRuntime[33] = UINT64_MAX;
  if (!strcmp(how, "unaligned")) _PyRuntime[32] = 41;
  if (!strcmp(how, "objects")) _PyRuntime[51] = 24;
  if (!strcmp(how, "types")) put_pointer(PyCode_Type, 8, PyCode_Type);
  if (!strcmp(how, "alpha")) version = "3.14.0a7+ (heads/main)";
  if (!strcmp(how, "later")) version = "3.15.0 (a fake)", _PyRuntime[1] = 0x030f00f0;
  if (!strcmp(how, "four")) version = "4.14.0";
  if (!strcmp(how, "garbage")) version = "?";
  if (!strcmp(how, "not-initialized")) is_initialized = 0;
  if (!strcmp(how, "finalizing")) is_finalizing = 1;
  if (!strcmp(how, "no-thread")) state_now = lock_now = NULL;
  if (!strcmp(how, "not-holding")) lock_now = NULL;
  if (!strcmp(how, "not-code")) put_pointer(codes[0], 8, PyType_Type);
  if (!strcmp(how, "ring")) put_pointer(frames[3], FRAME_PREVIOUS, frames[0]);
  if (!strcmp(how, "shims")) put_pointer(frames[2], FRAME_PREVIOUS, frames[2]);
  if (!strcmp(how, "outside")) put_pointer(frames[0], FRAME_INSTRUCTION, state);

  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) return fprintf(stderr, "%s\n", dlerror()), 2;
  int (*capture)(char *, size_t, int) = (int (*)(char *, size_t, int))dlsym(library, "capture");
  int (*held)(void) = (int (*)(void))dlsym(library, "held");
  const char *(*unknown)(void) = (const char *(*)(void))dlsym(library, "unknown");
  static char text[1 << 16];
  for (int again = 0; again < 2; again++) { // the second time from the cache
    int n = capture(text, sizeof text, 4);
    printf("%d frames, lock %d, unknown \"%s\"\n%s", n, held(), unknown(), text);
  }
  return 0;
}
