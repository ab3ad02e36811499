// Finds the names of functions in stacks, on macOS only. There the system's libraries are not stored in files, so only
// the process itself can look up their functions. On Linux the collector reads the names from the libraries' files.
//
// Rule: threads of the program only note new addresses; the drainer (the tracer's thread that sends records to the
// collector) looks up their names, which is slow.
#ifndef MTRACE_SYMBOLS_H
#define MTRACE_SYMBOLS_H
#include <stddef.h>
#include <stdint.h>

#ifdef __APPLE__
// Notes n return addresses, whose functions' names the drainer (the tracer's thread that sends records to the
// collector) will look up.
void mt_symbols_want(const uint64_t *addresses, unsigned n);

// Returns the encoded facts of names that were not returned before, and stores their length. Only the drainer, the
// tracer's own thread, calls it; the memory is valid until its next call.
const void *mt_symbols_new(size_t *length);
#else
static inline void mt_symbols_want(const uint64_t *addresses, unsigned n) { (void)addresses, (void)n; }
static inline const void *mt_symbols_new(size_t *length) { return *length = 0, NULL; }
#endif
#endif
