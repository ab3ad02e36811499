// Builds the payload of the Hello frame, the first frame of a process: the process's identity, in the layout of
// collector/wire/frame.go.
#ifndef MTRACE_HELLO_H
#define MTRACE_HELLO_H
#include <stdbool.h>
#include <stddef.h>

// Returns the payload, in a mapping of its own, and stores its length; NULL on failure. The caller frees it with
// mt_hello_free. `children` is true if the descriptor of the page of children (core/children.h) is sent with the
// frame: memory in which forked children that cannot reach the collector store their process ids.
char *mt_hello_make(size_t *length, bool children);
void mt_hello_free(char *payload);

// Stores the path of this process's program; an empty path if it is unknown or does not fit into size bytes.
void mt_hello_program(char *path, size_t size);
#endif
