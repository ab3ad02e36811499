// The names of processes' programs; one source file per system.
#ifndef MTRACE_PROGRAM_H
#define MTRACE_PROGRAM_H
#include <sys/types.h>

// Writes the name of a process's program, as much of it as fits, and a zero byte; an empty name when it is not known.
void mt_program_of(pid_t process, char *name, unsigned size);
#endif
