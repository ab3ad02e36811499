// macOS: dyld calls the function added for each image, those already loaded and each one loaded later, before code of
// the image runs. The image cannot be unloaded during that call. An image's recorded range is its code, the segment
// __TEXT.
#include "stacks/images.h"
#include <dlfcn.h>
#include <mach-o/dyld.h>
#include <mach-o/loader.h>
#include <stdatomic.h>
#include <string.h>

enum { ROOM = 1 << 20 };

static char found[ROOM];
static _Atomic size_t found_length; // stored with release after the bytes before it
static size_t given;

static void added(const struct mach_header *header, intptr_t slide) {
  const struct mach_header_64 *image = (const struct mach_header_64 *)header;
  const struct load_command *command = (const struct load_command *)(image + 1);
  uint64_t size = 0;
  const uint8_t *id = NULL;
  Dl_info info;
  (void)slide;
  for (uint32_t i = 0; i < image->ncmds; i++, command = (const struct load_command *)((const char *)command +
      command->cmdsize)) {
    const struct segment_command_64 *segment = (const struct segment_command_64 *)command;
    if (command->cmd == LC_SEGMENT_64 && strcmp(segment->segname, SEG_TEXT) == 0) size = segment->vmsize;
    if (command->cmd == LC_UUID) id = ((const struct uuid_command *)command)->uuid;
  }
  if (!size || !dladdr(header, &info) || !info.dli_fname) return;
  size_t length = atomic_load_explicit(&found_length, memory_order_relaxed);
  length = mt_image_put(found, length, ROOM, (uintptr_t)header, size, id, id ? 16 : 0, info.dli_fname);
  atomic_store_explicit(&found_length, length, memory_order_release);
}

void mt_images_start(void) { _dyld_register_func_for_add_image(added); }

const void *mt_images_new(size_t *length) {
  size_t from = given;
  given = atomic_load_explicit(&found_length, memory_order_acquire);
  *length = given - from;
  return found + from;
}

void mt_images_hold(void) {}
void mt_images_release(void) {}
