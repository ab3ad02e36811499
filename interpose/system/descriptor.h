// The library's own descriptors, with numbers that the program does not get in contact with.
#ifndef MTRACE_DESCRIPTOR_H
#define MTRACE_DESCRIPTOR_H

// Moves fd to a high number, closed on exec, so that the program gets the same numbers as without the tracer. Takes
// ownership of fd. Returns the new descriptor, fd itself when no higher one is free, or -1 when fd is -1.
int mt_descriptor_high(int fd);
#endif
