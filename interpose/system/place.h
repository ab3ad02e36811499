// Which symbol and which file an address lies in.
//
// Rule: whoever asks may hold locks of the program, so the dynamic linker's is not taken. A thread that loads a library
// has that while it runs the library's constructors, and these may wait for the program's.
#ifndef MTRACE_PLACE_H
#define MTRACE_PLACE_H
#include <stdbool.h>
#include <stdint.h>

struct mt_place {
  const char *symbol; // whose address it is; NULL when none is known; without Mach-O's leading underscore
  const char *file;   // NULL for the program itself
  uintptr_t offset;   // bytes from where the file is loaded
};

// False for an address that lies in no file of code.
bool mt_place_of(const void *address, struct mt_place *place);
#endif
