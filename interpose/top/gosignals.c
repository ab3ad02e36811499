// Keeps Go's threads from receiving the program's signals. Go unblocks SIGCHLD, SIGPROF, SIGURG and, on Linux,
// SIGRTMIN on each thread it creates, whatever mask the thread inherits (blockableSig, minitSignalMask in
// runtime/signal_unix.go). The kernel may deliver a process's signal to any thread that does not block it. A program
// that blocks SIGCHLD and waits for it with sigwait or signalfd would then wait for ever, and a profiler's SIGPROF
// handler would run on a goroutine's stack.
//
// Rule: before the runtime starts, its own tables are changed so that these signals stay blocked. These are the flags
// of runtime.sigtable and, for SIGURG, debug.asyncpreemptoff. Neither has a symbol in a c-shared library, so they are
// found by their content: a Go string is a pointer and a length, and a table row is recognized by its text. A row
// that is not found is not changed; TestSignalsAreTheProgramsOwn fails if a new version of Go has changed its tables.
#include "top/gosignals.h"
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __APPLE__
#include <mach-o/getsect.h>
#else
#include <link.h>
#endif

enum { UNBLOCKS = 1 << 7 }; // _SigUnblock, runtime/runtime2.go

struct go_string {
  const char *text;
  intptr_t length;
};
struct signal_row { // runtime.sigTabT
  int32_t flags;
  struct go_string name;
};
struct setting_row { // the begin of runtime.dbgVar
  struct go_string name;
  int32_t *value;
};

static const char *const names[] = {"SIGCHLD: child status has changed", "SIGPROF: profiling alarm clock",
#ifdef __linux__
                                    "signal 34", // SIGRTMIN of glibc; Go unblocks it because another C library uses it
#endif
};
enum { ROWS = sizeof names / sizeof *names };

struct part {
  uintptr_t begin, end;
};
// The memory range of this library, and the writable part of it, which contains Go's tables.
struct image {
  struct part all, data;
};

#ifdef __APPLE__
static int image_of_this(struct image *image) {
  Dl_info info;
  if (!dladdr((void *)image_of_this, &info)) return 0;
  const struct mach_header_64 *header = info.dli_fbase;
  unsigned long size;
  for (int i = 0; i < 2; i++) {
    const uint8_t *segment = getsegmentdata(header, i ? "__TEXT" : "__DATA", &size);
    if (!segment) return 0;
    *(i ? &image->all : &image->data) = (struct part){(uintptr_t)segment, (uintptr_t)segment + size};
  }
  // A library's segments are consecutive, __TEXT first; the constants between __TEXT and __DATA also contain texts.
  if (image->data.end > image->all.end) image->all.end = image->data.end;
  return image->data.begin >= image->all.begin;
}
#else
static int find_this(struct dl_phdr_info *info, size_t size, void *found) {
  (void)size;
  struct image *image = found;
  struct image here = {{UINTPTR_MAX, 0}, {0, 0}};
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    struct part part = {info->dlpi_addr + p->p_vaddr, info->dlpi_addr + p->p_vaddr + p->p_memsz};
    if (p->p_type != PT_LOAD) continue;
    if (part.begin < here.all.begin) here.all.begin = part.begin;
    if (part.end > here.all.end) here.all.end = part.end;
    if (p->p_flags & PF_W) here.data = (struct part){part.begin, info->dlpi_addr + p->p_vaddr + p->p_filesz};
  }
  if ((uintptr_t)find_this < here.all.begin || (uintptr_t)find_this >= here.all.end) return 0;
  *image = here;
  return here.data.begin != 0;
}

static int image_of_this(struct image *image) { return dl_iterate_phdr(find_this, image); }
#endif

// Returns the first Go string in the library's data whose text is `text`, or NULL. It reads all data, even the bytes
// between variables; the address sanitizer would report that, so it is off here.
__attribute__((no_sanitize("address"))) static struct go_string *string_of(const struct image *image,
    const char *text) {
  intptr_t length = (intptr_t)strlen(text);
  for (uintptr_t at = (image->data.begin + 7) & ~(uintptr_t)7; at +
      2 * sizeof(struct go_string) <= image->data.end; at += 8) {
    struct go_string *s = (struct go_string *)at;
    uintptr_t where = (uintptr_t)s->text;
    if (s->length != length || where < image->all.begin || where > image->all.end - (uintptr_t)length) continue;
    intptr_t same = 0;
    while (same < length && s->text[same] == text[same]) same++;
    if (same == length) return s;
  }
  return NULL;
}

void mt_gosignals_block(void) {
  struct image image;
  if (!image_of_this(&image)) return;
  for (int i = 0; i < ROWS; i++) {
    struct go_string *name = string_of(&image, names[i]);
    if (name) ((struct signal_row *)((char *)name - offsetof(struct signal_row, name)))->flags &= ~UNBLOCKS;
  }
  struct go_string *setting = string_of(&image, "asyncpreemptoff");
  if (!setting) return;
  int32_t *off = ((struct setting_row *)setting)->value;
  if ((uintptr_t)off >= image.data.begin && (uintptr_t)off < image.all.end) *off = 1;
}
