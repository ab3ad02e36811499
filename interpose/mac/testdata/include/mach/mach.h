// What the files for macOS use of Apple's headers below that one.
//
// Rule, of xnu's osfmk/kern/task.c and thread.c: task_threads gives a right to the port of each thread, and memory that holds them; each is
// to be given back, as is mach_host_self's. thread_info fails on a thread that is gone, and it and host_statistics where there is too little room; they
// write how much they used.
#ifndef FAKE_MACH_H
#define FAKE_MACH_H
#include <stdint.h>

typedef int kern_return_t, integer_t;
typedef unsigned natural_t, mach_port_t, thread_act_t, thread_flavor_t, mach_msg_type_number_t;
typedef thread_act_t *thread_act_array_t;
typedef integer_t *thread_info_t;
typedef uintptr_t vm_address_t, vm_size_t;
typedef struct {
  integer_t seconds, microseconds;
} time_value_t;

typedef struct {
  time_value_t user_time, system_time;
  integer_t cpu_usage, policy, run_state, flags, suspend_count, sleep_time;
} thread_basic_info_data_t;
typedef struct {
  uint64_t thread_id, thread_handle, dispatch_qaddr;
} thread_identifier_info_data_t;

enum { CPU_STATE_USER, CPU_STATE_SYSTEM, CPU_STATE_IDLE, CPU_STATE_NICE, CPU_STATE_MAX };
typedef struct {
  natural_t cpu_ticks[CPU_STATE_MAX];
} host_cpu_load_info_data_t;
typedef integer_t *host_info_t;
typedef int host_flavor_t;

enum { KERN_SUCCESS = 0, KERN_INVALID_ARGUMENT = 4, KERN_FAILURE = 5 };
enum { THREAD_BASIC_INFO = 3, THREAD_IDENTIFIER_INFO = 4, HOST_CPU_LOAD_INFO = 3 };
#define THREAD_BASIC_INFO_COUNT ((mach_msg_type_number_t)(sizeof(thread_basic_info_data_t) / sizeof(natural_t)))
#define THREAD_IDENTIFIER_INFO_COUNT ((mach_msg_type_number_t)(sizeof(thread_identifier_info_data_t) / sizeof(natural_t)))
#define HOST_CPU_LOAD_INFO_COUNT ((mach_msg_type_number_t)(sizeof(host_cpu_load_info_data_t) / sizeof(integer_t)))

mach_port_t mach_task_self(void);
mach_port_t mach_host_self(void);
kern_return_t host_statistics(mach_port_t host, host_flavor_t flavor, host_info_t info, mach_msg_type_number_t *count);
kern_return_t task_threads(mach_port_t task, thread_act_array_t *threads, mach_msg_type_number_t *count);
kern_return_t thread_info(thread_act_t thread, thread_flavor_t flavor, thread_info_t info, mach_msg_type_number_t *count);
kern_return_t mach_port_deallocate(mach_port_t task, mach_port_t port);
kern_return_t vm_deallocate(mach_port_t task, vm_address_t address, vm_size_t size);
#endif
