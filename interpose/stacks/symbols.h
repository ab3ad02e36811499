// The names of functions that only the process itself can look up: the system's libraries on macOS are in no files. On
// Linux the collector reads the names from the files.
//
// Rule: threads of the program only note new addresses; the drainer looks up the names.
#ifndef MTRACE_SYMBOLS_H
#define MTRACE_SYMBOLS_H
#include <stddef.h>
#include <stdint.h>

#ifdef __APPLE__
// Notes return addresses.
void mt_symbols_want(const uint64_t *addresses, unsigned n);

// Returns the facts of names that were not returned before, as mt_images_new does.
const void *mt_symbols_new(size_t *length);
#else
static inline void mt_symbols_want(const uint64_t *addresses, unsigned n) { (void)addresses, (void)n; }
static inline const void *mt_symbols_new(size_t *length) { return *length = 0, NULL; }
#endif
#endif
