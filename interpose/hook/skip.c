// The list of classes that must not be hooked (skip.h). Rule: the list is copied from the environment by the
// constructor, before a second thread runs, and only read afterwards: the program may change its environment.
#include "hook/skip.h"
#include <stdlib.h>
#include <string.h>

static char list[2048]; // longer lists are refused by the command that sets them

void mt_skip_start(void) {
  const char *asked = getenv("MTRACE_SKIP_CLASSES");
  if (asked && strlen(asked) < sizeof list) strcpy(list, asked);
}

static bool matches(const char *entry, size_t length, const char *name) {
  if (length > 0 && entry[length - 1] == '*') return strncmp(name, entry, length - 1) == 0;
  return strlen(name) == length && memcmp(name, entry, length) == 0;
}

bool mt_skipped(Class class) {
  if (!*list || !class) return false;
  const char *name = class_getName(class);
  for (const char *entry = list;; entry++) {
    size_t length = strcspn(entry, ",");
    if (length > 0 && matches(entry, length, name)) return true;
    entry += length;
    if (!*entry) return false;
  }
}
