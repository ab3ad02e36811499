// The processor time of the threads that have rings (buffers of records), for the report.
#ifndef MTRACE_THREADTIMES_H
#define MTRACE_THREADTIMES_H

// Sends the processor times of threads to the collector, on systems where the collector cannot read them from
// outside. Returns 0 when the collector is gone.
int mt_thread_times_send(void);
#endif
