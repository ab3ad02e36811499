// Linux: reads the dynamic linker's list of images (dl_iterate_phdr) when its counter of changes has changed.
//
// The linker holds a lock while its list is read, and the child of a fork would inherit that lock locked for ever.
// Therefore the variable turn allows only one of them at a time: a fork or a reader.
#include "stacks/images.h"
#include "stacks/cfi.h"
#include "system/own.h"
#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 64 << 10, MOST_IMAGES = 8192 };

static char found[ROOM];
static size_t found_length;
static uint64_t sent[MOST_IMAGES]; // hashes of images, open addressing
static unsigned sent_count;
static unsigned long long changes = ~0ull; // the list's counter of changes when it was last read completely
static char program[4096];
static atomic_int turn; // 0 free, 1 held by the reader, 2 held by a fork

// Remembers an image by a hash of its address and name. Returns false if it was known already, or if there is no
// space.
static bool is_new(uint64_t start, const char *name) {
  uint64_t h = start * 0x9e3779b97f4a7c15ull;
  for (; *name; name++) h = (h ^ (uint8_t)*name) * 1099511628211ull;
  h = h ? h : 1;
  if (sent_count >= MOST_IMAGES / 4 * 3) return false;
  uint64_t *slot = &sent[h % MOST_IMAGES];
  while (*slot && *slot != h) slot = slot == &sent[MOST_IMAGES - 1] ? sent : slot + 1;
  if (*slot == h) return false;
  *slot = h;
  sent_count++;
  return true;
}

// Returns the GNU build ID in an image's notes, and its length; NULL if there is none.
static const uint8_t *build_id(const struct dl_phdr_info *image, size_t *length) {
  for (int i = 0; i < image->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &image->dlpi_phdr[i];
    if (segment->p_type != PT_NOTE) continue;
    const char *at = (const char *)(image->dlpi_addr + segment->p_vaddr), *end = at + segment->p_memsz;
    while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
      ElfW(Nhdr) note;
      memcpy(&note, at, sizeof note);
      size_t name = (note.n_namesz + 3u) & ~3u, description = (note.n_descsz + 3u) & ~3u,
          left = (size_t)(end - at) - sizeof note;
      if (name > left || description > left - name) break;
      const char *text = at + sizeof note;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(text, "GNU", 4) == 0) {
        *length = note.n_descsz;
        return (const uint8_t *)text + name;
      }
      at = text + name + description;
    }
  }
  *length = 0;
  return NULL;
}

static int see(struct dl_phdr_info *image, size_t size, void *whole) {
  unsigned long long now = size >= offsetof(struct dl_phdr_info, dlpi_tls_modid) ? image->dlpi_adds + image->dlpi_subs :
      0;
  if (now == changes) return 1; // as it was
  *(unsigned long long *)whole = now;
  uint64_t low = UINT64_MAX, high = 0;
  for (int i = 0; i < image->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &image->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD) continue;
    uint64_t start = image->dlpi_addr + segment->p_vaddr;
    if (start < low) low = start;
    if (start + segment->p_memsz > high) high = start + segment->p_memsz;
  }
  const char *path = image->dlpi_name && *image->dlpi_name ? image->dlpi_name : program;
  if (low >= high || !*path) return 0;
  enum { LARGEST = 4096 + 128 };
  if (ROOM - found_length < LARGEST) { // the remaining images follow in the next call
    *(unsigned long long *)whole = ~0ull;
    return 1;
  }
  if (!is_new(low, path)) return 0;
  size_t id_length;
  const uint8_t *id = build_id(image, &id_length);
  found_length = mt_image_put(found, found_length, ROOM, low, high - low, id, id_length, path);
  return 0;
}

void mt_images_start(void) {
  ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
  if (n > 0) program[n] = 0;
}

const void *mt_images_new(size_t *length) {
  int nobody = 0;
  found_length = 0;
  if (atomic_compare_exchange_strong_explicit(&turn, &nobody, 1, memory_order_acquire, memory_order_relaxed)) {
    unsigned long long whole = changes;
    dl_iterate_phdr(see, &whole);
    if (whole != changes) mt_cfi_forget(); // another file may now be at the address of an unloaded one
    changes = whole;
    atomic_store_explicit(&turn, 0, memory_order_release);
  }
  *length = found_length;
  return found;
}

// Waits until no thread reads the list of images, but at most 10 ms: the reader itself may wait for a thread that
// loads libraries. The fork continues in any case.
void mt_images_hold(void) {
  enum { TRIES = 200, STEP_NANOS = 50000 };
  for (int i = 0; i < TRIES; i++) {
    int nobody = 0;
    if (atomic_compare_exchange_strong_explicit(&turn, &nobody, 2, memory_order_acquire, memory_order_relaxed)) return;
    mt_own_nanosleep(&(struct timespec){0, STEP_NANOS}, NULL);
  }
}

void mt_images_release(void) {
  int ours = 2;
  atomic_compare_exchange_strong_explicit(&turn, &ours, 0, memory_order_release, memory_order_relaxed);
}
