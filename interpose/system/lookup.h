// Finds the functions that this library replaces, in cases where dlsym(RTLD_NEXT) does not find them. Linux only.
//
// This library is preloaded, so it also receives calls from plugins opened with RTLD_LOCAL. Without it, such a plugin
// would find the function among its own dependencies. RTLD_NEXT searches only the program's scope, so it does not
// find that function.
#ifndef MTRACE_LOOKUP_H
#define MTRACE_LOOKUP_H
#include <stdbool.h>

// Returns the function that a caller in another library would call without this library: the next one in the
// program's scope, otherwise the one in that library's own dependencies; NULL when there is none. caller is an
// address in the other library.
void *mt_symbol_behind(const char *name, const void *caller);

// Returns the first function with this name in any other library of the process, in loading order; NULL if there is
// none. It does not take the lock that a thread holds while it runs a library's constructors. So it may find a
// library whose constructors have not run.
void *mt_symbol_anywhere(const char *name);

// Returns whether an address is in the program itself and not in a library.
bool mt_in_program(const void *address);

// Returns whether an address is in a library of another linker namespace, created by dlmopen.
bool mt_in_other_namespace(const void *address);

// Returns how many libraries were loaded since the process began, so that a caller can detect new ones.
unsigned long long mt_libraries_loaded(void);
#endif
