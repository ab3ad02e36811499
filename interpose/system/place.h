// Finds the symbol and the file of an address.
//
// Rule: the caller may hold locks of the program, so the dynamic linker's lock must not be taken. A thread that loads a
// library holds that lock while it runs the library's constructors, and these may wait for the program's locks.
#ifndef MTRACE_PLACE_H
#define MTRACE_PLACE_H
#include <stdbool.h>
#include <stdint.h>

struct mt_place {
  const char *symbol; // the symbol at the address, without Mach-O's leading underscore; NULL when none is known
  const char *file;   // NULL for the program itself
  uintptr_t offset;   // bytes from the address at which the file is loaded
};

// Returns false if the address is in no file of code.
bool mt_place_of(const void *address, struct mt_place *place);
#endif
