// Nothing is sent: the collector reads /proc, and opening a file in here would take a descriptor that the program
// expects to get.
#include "top/threadtimes.h"

int mt_thread_times_send(void) { return 1; }
