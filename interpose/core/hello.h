// The payload of the Hello frame: the identity of this process, as collector/wire/frame.go describes it.
#ifndef MTRACE_HELLO_H
#define MTRACE_HELLO_H
#include <stdbool.h>
#include <stddef.h>

// Allocates the payload in memory of its own and returns it, or NULL. Free it with mt_hello_free. children announces
// that the page of children.h is sent with it.
char *mt_hello_make(size_t *length, bool children);
void mt_hello_free(char *payload);

// The path of the program that runs in this process; empty when it is not known or longer.
void mt_hello_program(char *path, size_t size);
#endif
