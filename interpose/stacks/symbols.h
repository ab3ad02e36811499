// The names of functions, where only the process itself can tell them: the system's libraries on macOS are in no files.
// On Linux they are read from the files by the collector.
//
// Rule: threads of the program only note addresses that are new; names are looked up by the drainer.
#ifndef MTRACE_SYMBOLS_H
#define MTRACE_SYMBOLS_H
#include <stddef.h>
#include <stdint.h>

#ifdef __APPLE__
// Notes return addresses.
void mt_symbols_want(const uint64_t *addresses, unsigned n);

// Gives the facts of names that were not given before, as mt_images_new does.
const void *mt_symbols_new(size_t *length);
#else
static inline void mt_symbols_want(const uint64_t *addresses, unsigned n) { (void)addresses, (void)n; }
static inline const void *mt_symbols_new(size_t *length) { return *length = 0, NULL; }
#endif
#endif
