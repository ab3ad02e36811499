// Facts about a file descriptor that each system reports differently; descriptorfacts_darwin.c and
// descriptorfacts_linux.c implement them. No function opens a descriptor or changes one; each may change errno.
#ifndef MTRACE_DESCRIPTOR_FACTS_H
#define MTRACE_DESCRIPTOR_FACTS_H
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

// Writes the path of an open file, cut to size; an empty path if it has none.
void mt_fact_path(int fd, char *path, size_t size);

// Returns the id of the process at the other end of a local socket; 0 if it is unknown.
uint64_t mt_fact_peer(int fd);

// Returns a number that is the same at both ends of a pipe, in every process, so that writer and reader can be
// matched. Returns 0 for a descriptor that only looks like a pipe.
uint64_t mt_fact_pipe(int fd, const struct stat *s);

// Returns the kind, MT_DESCRIPTOR_*, of a descriptor that is not a file, pipe, socket or terminal.
uint32_t mt_fact_other(int fd);
#endif
