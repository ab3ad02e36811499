// Functions that the library replaces and that RTLD_NEXT does not find. Linux only.
//
// The library is preloaded, so a call of such a function reaches it even if the caller would have found the original
// among the libraries of its own scope, such as those of a plugin opened with RTLD_LOCAL. RTLD_NEXT only searches the
// program's scope.
#ifndef MTRACE_LOOKUP_H
#define MTRACE_LOOKUP_H
#include <stdbool.h>

// The function of that name that another library would have found without this library: the next one in the program's
// scope, otherwise the one in the other library's own dependencies. caller is an address in the other library. NULL
// when there is none.
void *mt_symbol_behind(const char *name, const void *caller);

// The first function of that name in any other library of the process, in loading order; NULL when there is none. Takes
// no lock that a thread holds while it runs a library's constructors. It may therefore find a library whose
// constructors have not run.
void *mt_symbol_anywhere(const char *name);

// Is an address in the program itself and not in a library?
bool mt_in_program(const void *address);

// Is an address in a library of another linker namespace, created by dlmopen?
bool mt_in_other_namespace(const void *address);

// How many libraries were loaded since the process began.
unsigned long long mt_libraries_loaded(void);
#endif
