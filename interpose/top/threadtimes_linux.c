// Linux: sends nothing, because the collector reads /proc. Opening a file in this process would take a descriptor
// number that the program expects to get.
#include "top/threadtimes.h"

int mt_thread_times_send(void) { return 1; }
