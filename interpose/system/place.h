// Finds the symbol and the file that contain an address.
//
// Rule: this must not take the dynamic linker's lock, because the caller may hold locks of the program. A thread that
// loads a library holds the linker's lock while it runs the library's constructors; if these wait for the program's
// lock, the two threads would deadlock.
#ifndef MTRACE_PLACE_H
#define MTRACE_PLACE_H
#include <stdbool.h>
#include <stdint.h>

struct mt_place {
  const char *symbol; // the symbol at the address, without Mach-O's leading underscore; NULL when none is known
  const char *file;   // NULL for the program itself
  uintptr_t offset;   // bytes from the address at which the file is loaded
};

// Fills in *place for an address. Returns false if the address is in no file of code.
bool mt_place_of(const void *address, struct mt_place *place);
#endif
