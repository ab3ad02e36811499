// The text of a Python string, read in place.
#ifndef MTRACE_PYTHON_TEXT_H
#define MTRACE_PYTHON_TEXT_H
#include <stddef.h>
#include "stacks/python_layout.h"

// Writes the UTF-8 of a str object, as many whole characters as fit, and returns its length. Returns 0 for a string
// that is not compact, which only instances of subclasses of str are. Halves of surrogate pairs, with which Python
// represents undecodable bytes of file names, become U+FFFD.
size_t mt_python_text(const struct mt_python_layout *layout, const void *string, char *to, size_t size);
#endif
