// Compares what mt_place_of says of addresses all over the process with what dladdr says. Prints how many had a symbol.
#include "system/place.h"
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long named;

static void compare(uintptr_t address) {
  Dl_info info;
  struct mt_place place;
  bool known = dladdr((const void *)address, &info), found = mt_place_of((const void *)address, &place);
  const char *expected = known ? info.dli_sname : NULL, *symbol = found ? place.symbol : NULL;
  bool same = known == found && (expected == symbol || (expected && symbol && strcmp(expected, symbol) == 0));
  // Two symbols may have one value: dladdr takes the first, and so must we.
  if (!same || (found && place.file && strcmp(place.file, info.dli_fname) != 0)) {
    fprintf(stderr, "%#lx: %s in %s, dladdr says %s in %s\n", (unsigned long)address, symbol ? symbol : "-", found && place.file ? place.file : "-", expected ? expected : "-",
            known ? info.dli_fname : "-");
    exit(1);
  }
  named += symbol != NULL;
}

static int image(struct dl_phdr_info *info, size_t size, void *nothing) {
  (void)size, (void)nothing;
  if (strstr(info->dlpi_name, "vdso")) return 0; // glibc knows it in no list of files
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type != PT_LOAD) continue;
    uintptr_t begin = info->dlpi_addr + p->p_vaddr;
    uintptr_t step = p->p_memsz / 500 + 1;
    for (uintptr_t at = begin; at < begin + p->p_memsz; at += step) compare(at);
  }
  return 0;
}

int visible; // by -rdynamic

int main(void) {
  dl_iterate_phdr(image, NULL);
  compare((uintptr_t)&visible);
  compare((uintptr_t)main + 1);
  compare((uintptr_t)malloc(1));
  compare((uintptr_t)&named);
  compare(0);
  compare(UINTPTR_MAX);
  printf("%ld\n", named);
}
