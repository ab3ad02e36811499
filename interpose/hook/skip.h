// Classes that must not be hooked, because the user asked for it or an earlier run crashed inside one of them.
#ifndef MTRACE_SKIP_H
#define MTRACE_SKIP_H
#include <stdbool.h>
#include "hook/objc.h"

// Reads MTRACE_SKIP_CLASSES: names separated by commas; a name that ends in * stands for all classes with that
// prefix. The constructor calls it.
void mt_skip_start(void);

// Returns whether MTRACE_SKIP_CLASSES lists the class, so that it must not be hooked.
bool mt_skipped(Class class);
#endif
