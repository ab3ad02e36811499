// macOS: sends the processor times of the process, of its threads that have rings (buffers of records), and of all
// programs of the machine together. Only the process itself may read its threads' times. The system does not report
// how long a thread waited for a processor.
//
// Rule: this runs only on the tracer's own thread, because it takes many system calls. Every port from task_threads
// or mach_host_self is released, otherwise ports would leak in each round.
#include "top/threadtimes.h"
#include <mach/mach.h>
#include <time.h>
#include "core/region.h"
#include "core/session.h"

struct thread_time {
  uint64_t thread;
  int64_t at, ran, waited; // nanoseconds
};
_Static_assert(sizeof(struct thread_time) == MT_THREAD_TIME_SIZE, "the frame's layout");

// the whole process as thread 0; then the whole machine, if its time is known; then the threads
static struct thread_time times[MT_RING_COUNT + 2];

static bool has_ring(uint64_t thread) {
  uint32_t used = atomic_load_explicit(&mt_region->rings_used, memory_order_relaxed);
  for (uint32_t i = 0; i < used && i < MT_RING_COUNT; i++) {
    struct ring *r = &mt_region->rings[i];
    if (atomic_load_explicit(&r->state, memory_order_relaxed) == MT_RING_LIVE && atomic_load_explicit(&r->thread,
        memory_order_relaxed) == thread) return true;
  }
  return false;
}

static int64_t nanoseconds(time_value_t t) { return t.seconds * 1000000000ll + t.microseconds * 1000ll; }

static bool time_of(thread_act_t port, struct thread_time *t) {
  thread_identifier_info_data_t identity;
  thread_basic_info_data_t basic;
  mach_msg_type_number_t count = THREAD_IDENTIFIER_INFO_COUNT;
  if (thread_info(port, THREAD_IDENTIFIER_INFO, (thread_info_t)&identity, &count) != KERN_SUCCESS ||
      !has_ring(identity.thread_id)) return false;
  count = THREAD_BASIC_INFO_COUNT;
  if (thread_info(port, THREAD_BASIC_INFO, (thread_info_t)&basic, &count) != KERN_SUCCESS) return false;
  t->thread = identity.thread_id;
  t->at = (int64_t)clock_gettime_nsec_np(CLOCK_UPTIME_RAW);
  t->ran = nanoseconds(basic.user_time) + nanoseconds(basic.system_time);
  t->waited = MT_THREAD_TIME_WAIT_NOT_KNOWN;
  return true;
}

// Stores how long all processors together were not idle. xnu counts that in ticks of 10 ms (osfmk/mach/host_info.h).
// Returns false if it is unknown.
static bool time_of_machine(struct thread_time *t) {
  const int64_t tick = 10000000;
  host_cpu_load_info_data_t load = {0};
  mach_msg_type_number_t count = HOST_CPU_LOAD_INFO_COUNT;
  mach_port_t host = mach_host_self();
  kern_return_t told = host_statistics(host, HOST_CPU_LOAD_INFO, (host_info_t)&load, &count);
  mach_port_deallocate(mach_task_self(), host);
  int64_t ticks = (int64_t)load.cpu_ticks[CPU_STATE_USER] + load.cpu_ticks[CPU_STATE_SYSTEM] +
      load.cpu_ticks[CPU_STATE_NICE];
  *t = (struct thread_time){MT_THREAD_TIME_WHOLE_MACHINE, (int64_t)clock_gettime_nsec_np(CLOCK_UPTIME_RAW),
      ticks * tick, MT_THREAD_TIME_WAIT_NOT_KNOWN};
  return told == KERN_SUCCESS;
}

int mt_thread_times_send(void) {
  thread_act_array_t threads;
  mach_msg_type_number_t count;
  if (task_threads(mach_task_self(), &threads, &count) != KERN_SUCCESS) return 1;
  times[0] = (struct thread_time){0, (int64_t)clock_gettime_nsec_np(CLOCK_UPTIME_RAW),
      (int64_t)clock_gettime_nsec_np(CLOCK_PROCESS_CPUTIME_ID), MT_THREAD_TIME_WAIT_NOT_KNOWN};
  size_t known = 1;
  if (time_of_machine(&times[known])) known++;
  for (mach_msg_type_number_t i = 0; i < count; i++) {
    if (known < MT_RING_COUNT + 2 && time_of(threads[i], &times[known])) known++;
    mach_port_deallocate(mach_task_self(), threads[i]);
  }
  vm_deallocate(mach_task_self(), (vm_address_t)threads, count * sizeof *threads);
  return mt_session_send(MT_FRAME_THREAD_TIMES, 0, 0, times, known * sizeof *times, NULL, 0);
}
