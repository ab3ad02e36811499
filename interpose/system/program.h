// Finds the names of processes' programs; program_darwin.c and program_linux.c implement it.
#ifndef MTRACE_PROGRAM_H
#define MTRACE_PROGRAM_H
#include <sys/types.h>

// Writes the name of a process's program, cut to size and ended by a zero byte; an empty name if it is unknown.
void mt_program_of(pid_t process, char *name, unsigned size);
#endif
