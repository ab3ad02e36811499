// Reads the text of a Python string directly in the interpreter's memory, without calling the interpreter.
#ifndef MTRACE_PYTHON_TEXT_H
#define MTRACE_PYTHON_TEXT_H
#include <stddef.h>
#include "stacks/python_layout.h"

// Writes a str object's text as UTF-8, as many whole characters as fit into size bytes, and returns the length.
// Returns 0 for a string that is not compact, as only instances of subclasses of str are. Lone surrogates, by which
// Python represents undecodable bytes of file names, become U+FFFD.
size_t mt_python_text(const struct mt_python_layout *layout, const void *string, char *to, size_t size);
#endif
