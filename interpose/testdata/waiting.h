// A thread that is to give another what that waits for sees first that it waits: that it has slept for 10 ms without a break. A pause of
// 10 ms was in the place of this, and what was to be waited for came before the wait when the machine was busy, which then was no wait.
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int is_asleep(long thread) {
  char path[64], state = 0;
  snprintf(path, sizeof path, "/proc/self/task/%ld/stat", thread);
  FILE *stat = fopen(path, "r");
  if (stat == NULL || fscanf(stat, "%*d (%*[^)]) %c", &state) != 1) {
    fprintf(stderr, "%s cannot be read\n", path);
    exit(3);
  }
  fclose(stat);
  return state == 'S';
}

static void until_it_waits(long thread) {
  for (int slept = 0; slept < 10; usleep(1000)) slept = is_asleep(thread) ? slept + 1 : 0;
}
