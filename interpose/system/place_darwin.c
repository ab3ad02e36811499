// macOS: uses dladdr. The lock that dyld takes for it is not held while constructors run (dyld 4, APIs::dlopen_from).
//
// A Mach-O symbol has no size, and dladdr returns the nearest symbol before the address. In a stripped library, a
// static variable or function would therefore get the name of an unrelated symbol. Rule: a symbol is accepted only at
// its own address and, in code, up to the beginning of the next function. LC_FUNCTION_STARTS lists the functions, as
// ULEB128 distances from the image's beginning.
#include <dlfcn.h>
#include <mach-o/loader.h>
#include <stdint.h>
#include <string.h>
#include "system/place.h"

struct starts {
  const uint8_t *at, *end;
};

static struct starts starts_of(const struct mach_header_64 *image) {
  const struct segment_command_64 *text = NULL, *names = NULL;
  const struct linkedit_data_command *starts = NULL;
  const struct load_command *command = (const struct load_command *)(image + 1);
  for (uint32_t i = 0; i < image->ncmds; i++, command = (const struct load_command *)((const char *)command +
      command->cmdsize)) {
    const struct segment_command_64 *segment = (const struct segment_command_64 *)command;
    if (command->cmd == LC_SEGMENT_64 && strcmp(segment->segname, SEG_TEXT) == 0) text = segment;
    if (command->cmd == LC_SEGMENT_64 && strcmp(segment->segname, SEG_LINKEDIT) == 0) names = segment;
    if (command->cmd == LC_FUNCTION_STARTS) starts = (const struct linkedit_data_command *)command;
  }
  if (!text || !names || !starts) return (struct starts){NULL, NULL};
  const uint8_t *at = (const uint8_t *)image + (names->vmaddr - text->vmaddr) + (starts->dataoff - names->fileoff);
  return (struct starts){at, at + starts->datasize};
}

static uint64_t next(struct starts *s) {
  uint64_t value = 0;
  for (unsigned shift = 0; s->at < s->end && shift < 64; shift += 7) {
    uint8_t byte = *s->at++;
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) break;
  }
  return value;
}

// Returns true if no other function of the image begins between function and address, so that function contains the
// address.
static bool holds(const struct mach_header_64 *image, uintptr_t function, uintptr_t address) {
  struct starts starts = starts_of(image);
  uintptr_t at = (uintptr_t)image, last = 0;
  for (uint64_t distance; (distance = next(&starts)) != 0 && (at += distance) <= address;) last = at;
  return last == function;
}

bool mt_place_of(const void *address, struct mt_place *place) {
  Dl_info info;
  if (!dladdr(address, &info)) return false;
  bool known = info.dli_sname && (info.dli_saddr == address || holds(info.dli_fbase, (uintptr_t)info.dli_saddr,
      (uintptr_t)address));
  *place = (struct mt_place){known ? info.dli_sname : NULL, info.dli_fname,
      (uintptr_t)address - (uintptr_t)info.dli_fbase};
  return true;
}
