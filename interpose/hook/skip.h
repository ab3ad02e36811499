// Classes that are not hooked, because the user requested it or an earlier run crashed inside one of them.
#ifndef MTRACE_SKIP_H
#define MTRACE_SKIP_H
#include <stdbool.h>
#include "hook/objc.h"

// Reads MTRACE_SKIP_CLASSES, names separated by commas; a name that ends in * stands for all classes with that prefix.
// Called by the constructor.
void mt_skip_start(void);

// Is this class not to be hooked?
bool mt_skipped(Class class);
#endif
