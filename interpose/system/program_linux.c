// Linux: the kernel keeps the first 15 bytes of the name of a process's program.
#include "system/program.h"
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

void mt_program_of(pid_t process, char *name, unsigned size) {
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/comm", (int)process);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = file < 0 ? 0 : read(file, name, size - 1);
  if (file >= 0) close(file);
  if (n > 0 && name[n - 1] == '\n') n--;
  name[n > 0 ? n : 0] = 0;
}
