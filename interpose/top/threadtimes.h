// How much processor time the threads that have rings have used.
#ifndef MTRACE_THREADTIMES_H
#define MTRACE_THREADTIMES_H

// Sends it to the collector where that cannot see it from outside the process. 0 when the collector is gone.
int mt_thread_times_send(void);
#endif
