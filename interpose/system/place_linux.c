// Linux: finds the file and the symbol of an address without the dynamic linker's lock, which dladdr would take.
// glibc finds the file since version 2.35 (_dl_find_object). The symbol is searched for here, in the file's dynamic
// symbol table, whose length follows from the hash table. With an older glibc dladdr is used. It is also used with
// musl, which does not hold its lock while constructors run.
//
// The file cannot be unloaded during the search: it contains the waiting code, or the lock waited for.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include "system/place.h"

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
// Looks up _dl_find_object at run time instead of linking it. So a library built with a new glibc also loads with an
// older one that lacks the function.
static __typeof__(_dl_find_object) *find_object;
__attribute__((constructor)) static void look_up(void) {
  *(void **)&find_object = dlsym(RTLD_DEFAULT, "_dl_find_object");
  if (!find_object) dlerror(); // clear the error text: the program must not see it
}

struct table {
  const ElfW(Sym) *symbols;
  const char *texts;
  uint32_t length;
};

// Returns the number of symbols of a file. The GNU hash table does not store it. The last symbol is the end of the
// last bucket's chain, which is marked by the lowest bit.
static uint32_t length_of(const uint32_t *gnu) {
  uint32_t buckets = gnu[0], first = gnu[1], last = 0;
  const uint32_t *bucket = gnu + 4 + gnu[2] * (sizeof(ElfW(Addr)) / sizeof *gnu), *chain = bucket + buckets;
  for (uint32_t i = 0; i < buckets; i++)
    if (bucket[i] > last) last = bucket[i];
  if (last < first) return first;
  while (!(chain[last - first] & 1)) last++;
  return last + 1;
}

// Returns the address that an entry of the dynamic section refers to. The entry is an offset from the library's start.
// If the section is writable, glibc has replaced the offset by the address.
static const void *pointer(const struct link_map *file, ElfW(Addr) value) { return (const void *)(value < file->l_addr ?
    file->l_addr + value : value); }

static struct table table_of(const struct link_map *file) {
  struct table t = {NULL, NULL, 0};
  const uint32_t *gnu = NULL, *hash = NULL;
  for (const ElfW(Dyn) *d = file->l_ld; d && d->d_tag != DT_NULL; d++) {
    switch (d->d_tag) {
    case DT_SYMTAB: t.symbols = pointer(file, d->d_un.d_ptr); break;
    case DT_STRTAB: t.texts = pointer(file, d->d_un.d_ptr); break;
    case DT_GNU_HASH: gnu = pointer(file, d->d_un.d_ptr); break;
    case DT_HASH: hash = pointer(file, d->d_un.d_ptr); break;
    }
  }
  if (t.symbols && t.texts) t.length = hash ? hash[1] : gnu ? length_of(gnu) : 0;
  return t;
}

// Returns the name of the symbol that contains the address; NULL if there is none. If several symbols contain it, the
// one with the highest start is chosen, as dladdr does.
static const char *symbol_at(const struct link_map *file, uintptr_t address) {
  struct table t = table_of(file);
  const ElfW(Sym) *found = NULL;
  for (uint32_t i = 0; i < t.length; i++) {
    const ElfW(Sym) *s = &t.symbols[i];
    // the same in 32 bits
    if (s->st_shndx == SHN_UNDEF || s->st_shndx == SHN_ABS || ELF64_ST_TYPE(s->st_info) == STT_TLS) continue;
    uintptr_t begin = file->l_addr + s->st_value;
    if (address < begin || (address >= begin + s->st_size && address != begin)) continue;
    if (!found || found->st_value < s->st_value) found = s;
  }
  return found ? t.texts + found->st_name : NULL;
}

static bool find(const void *address, struct mt_place *place) {
  struct dl_find_object object;
  if (find_object((void *)address, &object) != 0) return false;
  const struct link_map *file = object.dlfo_link_map;
  *place = (struct mt_place){symbol_at(file, (uintptr_t)address), file->l_name && *file->l_name ? file->l_name : NULL,
      (uintptr_t)address - file->l_addr};
  return true;
}
#endif

bool mt_place_of(const void *address, struct mt_place *place) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
  if (find_object) return find(address, place);
#endif
  Dl_info info;
  if (!dladdr(address, &info)) return false;
  *place = (struct mt_place){info.dli_sname, info.dli_fname, (uintptr_t)address - (uintptr_t)info.dli_fbase};
  return true;
}
