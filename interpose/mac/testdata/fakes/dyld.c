// dyld: images, the nearest symbol, the tables of pairs. The rules are in the headers.
//
// Of the process's own ELF files there are names only where a symbol begins, as of a stripped library: they have no Mach-O header to look at.
#include <dlfcn.h>
#include <mach-o/dyld.h>
#include <mach-o/getsect.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fakes.h"

enum { MOST_IMAGES = 1 << 13, MOST_FUNCTIONS = 4 };

static struct mac_image images[MOST_IMAGES];
static _Atomic uint32_t image_count;
static void (*functions[MOST_FUNCTIONS])(const struct mach_header *, intptr_t);
static int function_count;

static intptr_t slide_of(const struct mac_image *image) { return (intptr_t)((uintptr_t)image->header - 0x100000000); }

void mac_image_load(const struct mac_image *image) {
  if (image_count == MOST_IMAGES) abort();
  images[image_count] = *image;
  image_count++;
  for (int i = 0; i < function_count; i++) functions[i]((const struct mach_header *)image->header, slide_of(image));
}

uint32_t _dyld_image_count(void) { return image_count; }
const char *_dyld_get_image_name(uint32_t index) { return index < image_count ? images[index].path : NULL; }

void _dyld_register_func_for_add_image(void (*added)(const struct mach_header *, intptr_t)) {
  if (function_count == MOST_FUNCTIONS) abort();
  functions[function_count++] = added;
  for (uint32_t i = 0; i < image_count; i++) added((const struct mach_header *)images[i].header, slide_of(&images[i]));
}

static const struct mac_image *image_with(const void *address) {
  for (uint32_t i = 0; i < image_count; i++)
    if ((uintptr_t)address - (uintptr_t)images[i].header < images[i].size) return &images[i];
  return NULL;
}

static const struct mach_header_64 *library;
void mac_image_of_library(const struct mach_header_64 *header) { library = header; }

extern const char __start_mac_cache[] __attribute__((weak)), __stop_mac_cache[] __attribute__((weak));
const void *_dyld_get_shared_cache_range(size_t *length) {
  *length = (size_t)(__stop_mac_cache - __start_mac_cache);
  return __start_mac_cache;
}

int mac_dladdr(const void *address, Dl_info *info) {
  const struct mac_image *image = image_with(address);
  if (!image) {
    if (!(dladdr)(address, info)) return 0;
    if (library) info->dli_fbase = (void *)library;
    if (info->dli_saddr != address) info->dli_sname = NULL, info->dli_saddr = NULL;
    return 1;
  }
  *info = (Dl_info){.dli_fname = image->path, .dli_fbase = (void *)image->header};
  for (const struct mac_symbol *s = image->symbols; s && s->name && s->at <= address; s++) info->dli_sname = s->name, info->dli_saddr = (void *)s->at;
  return 1;
}

uint8_t *getsegmentdata(const struct mach_header_64 *header, const char *name, unsigned long *size) {
  if (!image_with(header)) return NULL; // one of the process's own files
  const struct load_command *command = (const struct load_command *)(header + 1);
  const struct segment_command_64 *text = NULL, *found = NULL;
  for (uint32_t i = 0; i < header->ncmds; i++, command = (const struct load_command *)((const char *)command + command->cmdsize)) {
    const struct segment_command_64 *segment = (const struct segment_command_64 *)command;
    if (command->cmd != LC_SEGMENT_64) continue;
    if (strcmp(segment->segname, SEG_TEXT) == 0) text = segment;
    if (strcmp(segment->segname, name) == 0) found = segment;
  }
  if (!text || !found) return NULL;
  *size = found->vmsize;
  return (uint8_t *)header + (found->vmaddr - text->vmaddr);
}

int _NSGetExecutablePath(char *path, uint32_t *size) {
  char text[4096];
  ssize_t n = readlink("/proc/self/exe", text, sizeof text - 1);
  if (n < 0) return -1;
  if ((uint32_t)n + 1 > *size) {
    *size = (uint32_t)n + 1;
    return -1;
  }
  memcpy(path, text, (size_t)n);
  path[n] = 0;
  return 0;
}

// The tables of all files of the library, which the linker laid side by side, with nothing in between or a pair of NULLs.
struct pair {
  const void *replacement, *original;
};
extern const struct pair __start_mac_interpose[], __stop_mac_interpose[];

unsigned mac_pairs(void) {
  unsigned n = 0;
  for (const struct pair *p = __start_mac_interpose; p < __stop_mac_interpose; p++) n += p->replacement && p->original;
  return n;
}

const void *mac_replacement(const void *original) {
  if (getenv("MAC_REFUSE_INTERPOSING")) return original;
  for (const struct pair *p = __start_mac_interpose; p < __stop_mac_interpose; p++)
    if (p->original == original) return p->replacement;
  return original;
}

void *mac_dlsym(void *library, const char *name) {
  const void *original = library == RTLD_DEFAULT ? mac_original(name) : NULL;
  return original ? (void *)mac_replacement(original) : (dlsym)(library, name);
}
