// Maps Python instructions to line numbers. Rule: a table is untrusted memory. A decoder must not read beyond the
// table's end, must terminate on any content, and must not overflow.
#ifndef MTRACE_PYTHON_LINES_H
#define MTRACE_PYTHON_LINES_H
#include <stddef.h>
#include <stdint.h>
#include "stacks/python_layout.h"

// Returns the line of the instruction that is `at` bytes behind the first one. Returns first_line if at is negative,
// and 0 if the table has no line for it. The format depends on the version: PY_LNOTAB (3.9,
// Objects/lnotab_notes.txt), PY_LINETABLE (3.10, the same file) or PY_LOCATIONS (3.11 and later,
// Objects/locations.md).
uint32_t mt_python_line(enum mt_python_lines format, const uint8_t *table, size_t size, int64_t first_line, int64_t at);
#endif
