// Finds functions in the libraries of the process (lookup.h). Rule: every handle from dlopen is closed again. An open
// handle would keep the library loaded after the program's dlclose.
#include "system/lookup.h"
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "system/originals.h"

static const char here[1]; // an address in this library

static struct link_map *library_of(const void *address) {
  Dl_info info;
  struct link_map *library = NULL;
  return dladdr1(address, &info, (void **)&library, RTLD_DL_LINKMAP) ? library : NULL;
}

// glibc's list of libraries contains the program itself, with an empty name.
bool mt_in_program(const void *address) {
  const struct link_map *library = library_of(address);
  return library && !(library->l_name && *library->l_name);
}

bool mt_in_other_namespace(const void *address) {
  struct link_map *library = library_of(address);
  Lmid_t namespace = LM_ID_BASE;
  return library && dlinfo(library, RTLD_DI_LMID, &namespace) == 0 && namespace != LM_ID_BASE;
}

void *mt_symbol_behind(const char *name, const void *caller) {
  void *found = mt_next_symbol(name);
  if (found) return found;
  const struct link_map *library = library_of(caller);
  if (!library || library == library_of(here) || !library->l_name || !*library->l_name) return NULL;
  int saved = errno;
  void *handle = dlopen(library->l_name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle) {
    found = mt_dlsym_next()(handle, name);
    dlclose(handle);
  }
  errno = saved;
  return found && library_of(found) != library_of(here) ? found : NULL;
}

struct functions {
  uintptr_t base;
  const ElfW(Sym) *symbols;
  const char *texts;
  const uint32_t *hashes;
};

// Returns the address that an entry of the dynamic section refers to. The entry is an offset from the library's start.
// If the section is writable, glibc has replaced the offset by the address.
static const void *address_of(uintptr_t base, ElfW(Addr) value) {
  return (const void *)(value < base ? base + value : value);
}

static struct functions functions_of(const struct dl_phdr_info *info) {
  struct functions t = {.base = info->dlpi_addr};
  for (int i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    for (const ElfW(Dyn) *d = (const ElfW(Dyn) *)(t.base + info->dlpi_phdr[i].p_vaddr); d->d_tag != DT_NULL; d++) {
      const void *there = address_of(t.base, d->d_un.d_ptr);
      if (d->d_tag == DT_SYMTAB) t.symbols = there;
      if (d->d_tag == DT_STRTAB) t.texts = there;
      if (d->d_tag == DT_GNU_HASH) t.hashes = there;
    }
  }
  return t;
}

static uint32_t hash_of(const char *name) {
  uint32_t hash = 5381;
  for (; *name; name++) hash = hash * 33 + (unsigned char)*name;
  return hash;
}

// Returns the library's function with this name, or NULL. The GNU hash table contains: the number of buckets, the
// index of the first symbol, the number of filter words, a shift; then the filter, the buckets and the chains.
static void *function_in(const struct functions *t, const char *name, uint32_t hash) {
  if (!t->symbols || !t->texts || !t->hashes || t->hashes[0] == 0) return NULL;
  uint32_t buckets = t->hashes[0], first = t->hashes[1];
  const uint32_t *bucket = t->hashes + 4 + t->hashes[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
  const uint32_t *chain = bucket + buckets;
  uint32_t i = bucket[hash % buckets];
  if (i < first) return NULL;
  do {
    const ElfW(Sym) *s = &t->symbols[i];
    bool defined = s->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(s->st_info) == STT_FUNC;
    if (defined && ((chain[i - first] ^ hash) & ~1u) == 0 && strcmp(t->texts + s->st_name, name) == 0) return (void *)(
        t->base + s->st_value);
  } while (!(chain[i++ - first] & 1));
  return NULL;
}

static bool is_here(const struct dl_phdr_info *info) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type == PT_LOAD && (uintptr_t)here - info->dlpi_addr - part->p_vaddr < part->p_memsz) return true;
  }
  return false;
}

struct search {
  const char *name;
  uint32_t hash;
  void *found;
};

static int search_one(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  struct search *search = context;
  if (is_here(info)) return 0;
  struct functions t = functions_of(info);
  search->found = function_in(&t, search->name, search->hash);
  return search->found != NULL;
}

void *mt_symbol_anywhere(const char *name) {
  struct search search = {name, hash_of(name), NULL};
  dl_iterate_phdr(search_one, &search);
  return search.found;
}

static int count_loads(struct dl_phdr_info *info, size_t size, void *count) {
  if (size >= offsetof(struct dl_phdr_info, dlpi_adds) + sizeof info->dlpi_adds)
    *(unsigned long long *)count = info->dlpi_adds;
  return 1;
}

unsigned long long mt_libraries_loaded(void) {
  unsigned long long count = 0;
  dl_iterate_phdr(count_loads, &count);
  return count;
}
