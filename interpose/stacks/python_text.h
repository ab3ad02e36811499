// The text of a Python string, read where it lies.
#ifndef MTRACE_PYTHON_TEXT_H
#define MTRACE_PYTHON_TEXT_H
#include <stddef.h>
#include "stacks/python_layout.h"

// Writes the UTF-8 of a str object, as many whole characters as fit, and returns its length; 0 for one that is not
// compact, which only instances of str's subclasses are. Halves of surrogate pairs, by which Python spells the bytes of
// file names that are not UTF-8, become U+FFFD.
size_t mt_python_text(const struct mt_python_layout *layout, const void *string, char *to, size_t size);
#endif
