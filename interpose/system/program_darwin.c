// macOS: asks libproc for the name of a process's program.
#include "system/program.h"
#include <libproc.h>

void mt_program_of(pid_t process, char *name, unsigned size) {
  int n = proc_name(process, name, size);
  name[n > 0 && (unsigned)n < size ? n : 0] = 0;
}
