// Keeps the library's own file descriptors away from the low numbers that the program gets.
#ifndef MTRACE_DESCRIPTOR_H
#define MTRACE_DESCRIPTOR_H

// Moves fd to a high number and sets close-on-exec, so that the program gets the same descriptor numbers as without
// the tracer. It takes ownership of fd. Returns the new descriptor; fd itself if no higher number is free; -1 if fd
// is -1.
int mt_descriptor_high(int fd);
#endif
