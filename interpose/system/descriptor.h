// Descriptors of our own, kept out of the program's sight.
#ifndef MTRACE_DESCRIPTOR_H
#define MTRACE_DESCRIPTOR_H

// Moves fd to a high number, closed on exec, so that the numbers the program gets stay what they were. Takes ownership
// of fd; returns the new one, fd itself when no higher is free, or -1 when fd is.
int mt_descriptor_high(int fd);
#endif
