// The processor time of the threads that have rings.
#ifndef MTRACE_THREADTIMES_H
#define MTRACE_THREADTIMES_H

// Sends it to the collector, on systems where the collector cannot read it from outside the process. Returns 0 when the
// collector is gone.
int mt_thread_times_send(void);
#endif
