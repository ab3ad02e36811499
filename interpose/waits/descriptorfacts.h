// What only the system can tell of a file descriptor of the process, for descriptor.c. One source file per system. No
// function opens a descriptor or changes one; each may change errno.
#ifndef MTRACE_DESCRIPTOR_FACTS_H
#define MTRACE_DESCRIPTOR_FACTS_H
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

// The path of an open file, cut to size; empty when it has none.
void mt_fact_path(int fd, char *path, size_t size);

// The process at the other end of a local socket; 0 when not known.
uint64_t mt_fact_peer(int fd);

// A number that both ends of a pipe have in common, in every process; 0 for what only looks like a pipe.
uint64_t mt_fact_pipe(int fd, const struct stat *s);

// The kind, MT_DESCRIPTOR_*, of a descriptor that is no file, pipe, socket or terminal.
uint32_t mt_fact_other(int fd);
#endif
