// images_darwin.c: each image is told once, in the order of coming, with the size of its code and its id; what is no image is left out.
// symbols_darwin.c: an address gets its function's name, once; threads ask while the drainer looks. gosignals.c, of Apple's side: the tables of
// Go in the image that the library lies in.
#include <string.h>
#include "top/gosignals.h"
#include "stacks/images.h"
#include "stacks/symbols.h"
#include "check.h"
#include "fakes.h"

enum { SIZE = 0x3000, FUNCTIONS = 0x400, NAMES = 0x2000, HEADER = 24 };

// An image in memory, with two functions of 0x80 bytes each and a name for both.
struct library {
  _Alignas(16) char bytes[SIZE];
};
static void put(struct library *l, const void *command, size_t size) {
  struct mach_header_64 *header = (struct mach_header_64 *)(void *)l->bytes;
  memcpy(l->bytes + sizeof *header + header->sizeofcmds, command, size);
  header->ncmds++;
  header->sizeofcmds += (uint32_t)size;
}
static void make(struct library *l, const char *text_name, const uint8_t *id) {
  struct segment_command_64 text = {LC_SEGMENT_64, sizeof text, "", 0x100000000, 0x2000, 0, 0x2000, 5, 5, 0, 0};
  struct segment_command_64 names = {LC_SEGMENT_64, sizeof names, SEG_LINKEDIT, 0x100002000, 0x1000, 0x2000, 0x1000, 1, 1, 0, 0};
  struct linkedit_data_command starts = {LC_FUNCTION_STARTS, sizeof starts, NAMES, 8};
  struct uuid_command uuid = {.cmd = LC_UUID, .cmdsize = sizeof uuid};
  static const uint8_t distances[8] = {0x80, 0x08, 0x80, 0x01, 0x80, 0x01, 0, 0}; // 0x400, then 0x80 and 0x80
  strcpy(text.segname, text_name);
  put(l, &text, sizeof text);
  if (id) memcpy(uuid.uuid, id, 16), put(l, &uuid, sizeof uuid);
  put(l, &starts, sizeof starts);
  put(l, &names, sizeof names);
  memcpy(l->bytes + NAMES, distances, sizeof distances);
}

// A fact: its whole length, its kind, its key, the length of its text, the text.
struct fact {
  uint64_t key;
  unsigned kind;
  char text[4096];
};
static const char *next_fact(const char *at, struct fact *f) {
  struct {
    uint32_t size;
    uint16_t kind, aux;
    uint64_t key;
    uint32_t length;
  } header;
  memcpy(&header, at, sizeof header);
  f->key = header.key, f->kind = header.kind;
  snprintf(f->text, sizeof f->text, "%.*s", (int)header.length, at + HEADER);
  return at + header.size;
}

static struct library plain, without_id, no_code, late, go;
static char long_name[2000]; // so that an answer is full before all names are in it
static const struct mac_symbol late_symbols[] = {{long_name, late.bytes + FUNCTIONS}, {NULL, NULL}};
static const struct mac_symbol symbols[] = {{"first", plain.bytes + FUNCTIONS}, {"second", plain.bytes + FUNCTIONS + 0x80}, {NULL, NULL}};

static void told(const char **at, const struct library *l, const char *text) {
  struct fact f;
  *at = next_fact(*at, &f);
  CHECK(f.kind == MT_FACT_IMAGE && f.key == (uintptr_t)l->bytes);
  if (strcmp(f.text, text) != 0) fprintf(stderr, "%s\n", f.text);
  CHECK(strcmp(f.text, text) == 0);
}

static void load(struct library *l, const char *path, const struct mac_symbol *with) {
  mac_image_load(&(struct mac_image){(const struct mach_header_64 *)(void *)l->bytes, SIZE, path, with});
}

static void images(void) {
  static const uint8_t id[16] = {0xde, 0xad, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0xff};
  make(&plain, SEG_TEXT, id), make(&without_id, SEG_TEXT, NULL), make(&no_code, "__OTHER", id), make(&late, SEG_TEXT, id);
  load(&plain, "/usr/lib/libplain.dylib", symbols);
  load(&without_id, "/a path/with spaces", NULL);
  load(&no_code, "/no/code", NULL);
  size_t length;
  mt_images_start();
  const char *at = mt_images_new(&length), *end = at + length;
  told(&at, &plain, "2000 dead0102030405060708090a0b0c0dff /usr/lib/libplain.dylib");
  told(&at, &without_id, "2000 - /a path/with spaces");
  CHECK(at == end); // of that without code there is nothing to tell
  CHECK((mt_images_new(&length), length == 0));
  memset(long_name, 'n', sizeof long_name - 1);
  load(&late, "/late", late_symbols);
  at = mt_images_new(&length), end = at + length;
  told(&at, &late, "2000 dead0102030405060708090a0b0c0dff /late");
  CHECK(at == end && (mt_images_new(&length), length == 0));
  mt_images_hold(), mt_images_release();
}

// More than there is room for: those that fit are told, whole, and what does not fit harms nothing.
static void many(void) {
  enum { CROWD = 400 };
  static struct library crowd[CROWD];
  static char path[4000];
  memset(path, 'x', sizeof path - 1);
  path[0] = '/';
  size_t length, all = 0;
  mt_images_new(&length); // what the other tests loaded
  for (int i = 0; i < CROWD; i++) make(&crowd[i], SEG_TEXT, NULL), load(&crowd[i], path, NULL);
  const char *at = mt_images_new(&length), *end = at + length;
  for (struct fact f; at < end; all++) {
    at = next_fact(at, &f);
    CHECK(f.kind == MT_FACT_IMAGE && strlen(f.text) == strlen("2000 - ") + sizeof path - 1);
  }
  CHECK(at == end && all > 200 && all < 300); // of 4 KiB each in 1 MiB
}

static void wants(const void *one, const void *two) {
  uint64_t addresses[] = {(uintptr_t)one, (uintptr_t)two};
  mt_symbols_want(addresses, 2);
}

static void named(void) {
  size_t length;
  CHECK((mt_symbols_new(&length), length == 0));
  // Addresses to return to: behind the call, which may be the last thing in a function; one in no function that has a name; one in no image.
  const char *last = plain.bytes + FUNCTIONS + 0x80, *none = plain.bytes + FUNCTIONS + 0x180;
  wants(last, plain.bytes + FUNCTIONS + 0x90);
  wants(last, none), wants((const void *)8, last);
  const char *at = mt_symbols_new(&length), *end = at + length;
  bool first = false, second = false;
  for (struct fact f; at < end;) {
    at = next_fact(at, &f);
    CHECK(f.kind == MT_FACT_SYMBOL);
    if (f.key == (uintptr_t)last) CHECK(!first && strcmp(f.text, "first") == 0), first = true;
    else CHECK(!second && f.key == (uintptr_t)plain.bytes + FUNCTIONS + 0x90 && strcmp(f.text, "second") == 0), second = true;
  }
  CHECK(first && second);
  wants(last, none);
  CHECK((mt_symbols_new(&length), length == 0)); // known
}

// Threads want names of the same and of other addresses, more than there is room for in one answer, while the drainer gives them.
enum { THREADS = 4, EACH = 3000 };
static void *wants_many(void *from) {
  for (uintptr_t i = 0; i < EACH; i++) {
    uint64_t both[] = {(uintptr_t)plain.bytes + FUNCTIONS + 1 + i % 0x100, (uintptr_t)late.bytes + FUNCTIONS + ((uintptr_t)from + i) % (2 * EACH)};
    mt_symbols_want(both, 2);
  }
  return NULL;
}
static void named_by_many(void) {
  pthread_t threads[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, wants_many, (void *)(i * 500)) == 0);
  size_t length, names = 0;
  int answers = 0;
  bool over = false;
  for (;;) {
    const char *at = mt_symbols_new(&length), *end = at + length;
    answers += length > 0;
    for (struct fact f; at < end; names++) {
      at = next_fact(at, &f);
      CHECK(f.kind == MT_FACT_SYMBOL && length <= 64 << 10);
    }
    if (over && length == 0) break;
    if (over) continue;
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    over = true;
  }
  // Of the second image all in the first 0x80 bytes, which is its one function; of the first all in its two, but for the two known.
  CHECK(names == 0x80 + 0x100 - 2 && answers > 1);
}

// Go's tables, as they lie in the data of the library: rows with a name, and a setting with its place.
struct go_text {
  const char *text;
  intptr_t length;
};
struct row {
  int32_t flags;
  struct go_text name;
};
struct setting {
  struct go_text name;
  int32_t *value;
};
static void go_tables(void) {
  enum { CODE = 0x1000, DATA = 0x1000, UNBLOCK = 1 << 7 };
  struct segment_command_64 text = {LC_SEGMENT_64, sizeof text, SEG_TEXT, 0, CODE, 0, CODE, 5, 5, 0, 0},
      data = {LC_SEGMENT_64, sizeof data, "__DATA", CODE, DATA, CODE, DATA, 3, 3, 0, 0};
  put(&go, &text, sizeof text), put(&go, &data, sizeof data);
  char *names = go.bytes + 0x800;
  static const char child[] = "SIGCHLD: child status has changed", profile[] = "SIGPROF: profiling alarm clock", off[] = "asyncpreemptoff";
  strcpy(names, child), strcpy(names + 64, profile), strcpy(names + 128, off);
  struct row *rows = (struct row *)(void *)(go.bytes + CODE + 8);
  rows[0] = (struct row){UNBLOCK | 3, {names, sizeof child - 1}}, rows[1] = (struct row){UNBLOCK | 1, {names + 64, sizeof profile - 1}};
  rows[2] = (struct row){UNBLOCK, {names, 5}}; // another text
  int32_t *value = (int32_t *)(void *)(go.bytes + CODE + 0x800);
  struct setting *setting = (struct setting *)(void *)(go.bytes + CODE + 0x400);
  *setting = (struct setting){{names + 128, sizeof off - 1}, value};
  mt_gosignals_block(); // the image is not known: nothing is changed
  CHECK(rows[0].flags == (UNBLOCK | 3) && *value == 0);
  load(&go, "/libmtrace.dylib", NULL);
  mac_image_of_library((const struct mach_header_64 *)(void *)go.bytes);
  mt_gosignals_block();
  CHECK(rows[0].flags == 3 && rows[1].flags == 1 && rows[2].flags == UNBLOCK && *value == 1);
}

int main(void) {
  images();
  named();
  named_by_many();
  go_tables();
  many();
  puts("ok");
  return 0;
}
