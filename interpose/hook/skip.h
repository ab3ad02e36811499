// Classes that are left alone, because the user says so or an earlier run ended inside one of them.
#ifndef MTRACE_SKIP_H
#define MTRACE_SKIP_H
#include <stdbool.h>
#include "hook/objc.h"

// Reads MTRACE_SKIP_CLASSES, names with commas between; a name that ends in * stands for all that begin so. Called by
// the constructor.
void mt_skip_start(void);

// Is nothing of this class to be hooked?
bool mt_skipped(Class class);
#endif
