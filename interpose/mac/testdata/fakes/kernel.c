// xnu and libsystem's small calls: Mach, signals, sockets, clocks. The rules are in the headers.
#include <crt_externs.h>
#include <errno.h>
#include <mach/mach.h>
#include <mach/mach_time.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <dirent.h>
#include "fakes.h"

struct mac_mach mac_mach;

enum { TASK = 0x103, FIRST_PORT = 0x10000, HOST = 0x7f000000, PAGE = 1 << 14 };

mach_port_t mach_task_self(void) { return TASK; }

kern_return_t task_threads(mach_port_t task, thread_act_array_t *threads, mach_msg_type_number_t *count) {
  if (task != TASK || mac_mach.refuse) return KERN_INVALID_ARGUMENT;
  thread_act_t *found = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (found == MAP_FAILED) return KERN_FAILURE;
  *count = 0;
  DIR *tasks = opendir("/proc/self/task");
  for (struct dirent *d; tasks && (d = readdir(tasks)) && *count < PAGE / sizeof *found;) {
    if (d->d_name[0] == '.') continue;
    found[(*count)++] = (thread_act_t)(FIRST_PORT + atoi(d->d_name));
    mac_mach.ports++;
  }
  closedir(tasks);
  mac_mach.pages++;
  *threads = found;
  return KERN_SUCCESS;
}

kern_return_t mach_port_deallocate(mach_port_t task, mach_port_t port) {
  if (task != TASK || port < FIRST_PORT || mac_mach.ports-- <= 0) abort();
  return KERN_SUCCESS;
}

mach_port_t mach_host_self(void) {
  mac_mach.ports++;
  return HOST;
}

kern_return_t host_statistics(mach_port_t host, host_flavor_t flavor, host_info_t info, mach_msg_type_number_t *count) {
  if (host != HOST || flavor != HOST_CPU_LOAD_INFO || *count < HOST_CPU_LOAD_INFO_COUNT || mac_mach.refuse_host) return KERN_INVALID_ARGUMENT;
  memcpy(info, &(host_cpu_load_info_data_t){{[CPU_STATE_USER] = 4000000000u, [CPU_STATE_SYSTEM] = 500, [CPU_STATE_IDLE] = 77, [CPU_STATE_NICE] = 6}},
         sizeof(host_cpu_load_info_data_t));
  *count = HOST_CPU_LOAD_INFO_COUNT;
  return KERN_SUCCESS;
}

kern_return_t vm_deallocate(mach_port_t task, vm_address_t address, vm_size_t size) {
  if (task != TASK || size > PAGE || mac_mach.pages-- <= 0) abort();
  return munmap((void *)address, PAGE) == 0 ? KERN_SUCCESS : KERN_INVALID_ARGUMENT;
}

// The clock of a thread's processor time, by the kernel's number of it.
static clockid_t clock_of(uint64_t thread) { return (clockid_t)(~(unsigned)thread << 3 | 6); }

kern_return_t thread_info(thread_act_t port, thread_flavor_t flavor, thread_info_t info, mach_msg_type_number_t *count) {
  uint64_t thread = port - FIRST_PORT;
  struct timespec ran;
  if (thread == mac_mach.vanished || (int)flavor == mac_mach.refused_flavor || clock_gettime(clock_of(thread), &ran) != 0) return KERN_INVALID_ARGUMENT;
  if (flavor == THREAD_IDENTIFIER_INFO) {
    if (*count < THREAD_IDENTIFIER_INFO_COUNT) return KERN_INVALID_ARGUMENT;
    memcpy(info, &(thread_identifier_info_data_t){.thread_id = thread}, sizeof(thread_identifier_info_data_t));
    *count = THREAD_IDENTIFIER_INFO_COUNT;
    return KERN_SUCCESS;
  }
  if (flavor != THREAD_BASIC_INFO || *count < THREAD_BASIC_INFO_COUNT) return KERN_INVALID_ARGUMENT;
  time_value_t user = {(integer_t)ran.tv_sec, (integer_t)(ran.tv_nsec / 1000)};
  memcpy(info, &(thread_basic_info_data_t){.user_time = user}, sizeof(thread_basic_info_data_t));
  *count = THREAD_BASIC_INFO_COUNT;
  return KERN_SUCCESS;
}

int mach_timebase_info(mach_timebase_info_data_t *base) {
  const char *rate = getenv("MAC_TICKS_PER_SECOND");
  *base = rate && strcmp(rate, "1000000000") == 0 ? (mach_timebase_info_data_t){1, 1} : (mach_timebase_info_data_t){125, 3};
  return 0;
}

static mach_timebase_info_data_t timebase;
static pthread_once_t timebase_once = PTHREAD_ONCE_INIT;
static void find_timebase(void) { mach_timebase_info(&timebase); }

uint64_t mach_absolute_time(void) {
  struct timespec t;
  pthread_once(&timebase_once, find_timebase);
  clock_gettime(CLOCK_MONOTONIC, &t);
  return ((uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec) * timebase.denom / timebase.numer;
}

uint64_t clock_gettime_nsec_np(clockid_t clock) {
  struct timespec t;
  if (clock == CLOCK_PROCESS_CPUTIME_ID && clock_gettime(clock, &t) == 0) return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec / 1000 * 1000;
  if (clock == CLOCK_UPTIME_RAW) {
    uint64_t ticks = mach_absolute_time(); // which knows the timebase after it
    return ticks * timebase.numer / timebase.denom;
  }
  errno = EINVAL;
  return 0;
}

int mac_sigaction(int signal, const struct sigaction *new, struct sigaction *old) {
  enum { RESTORER = 0x04000000 }; // glibc's own affair, in the flags of any action that it has set
  if (signal <= 0 || signal >= NSIG || signal == SIGKILL || signal == SIGSTOP) {
    errno = EINVAL;
    return -1;
  }
  int result = (sigaction)(signal, new, old);
  if (!old || result != 0) return result;
  old->sa_flags &= ~RESTORER;
  memset((char *)&old->sa_mask + sizeof(long), 0, sizeof old->sa_mask - sizeof(long)); // there, the mask is one word
  return 0;
}

// SIGPIPE is a socket's affair, of which one is enough here: the tracer's.
static _Atomic int quiet = -1;
int mac_setsockopt(int fd, int level, int option, const void *value, socklen_t size) {
  if (level != SOL_SOCKET || option != SO_NOSIGPIPE) return (setsockopt)(fd, level, option, value, size);
  if (size != sizeof(int) || *(const int *)value != 1) abort();
  quiet = fd;
  return 0;
}

// A frame's header is a piece of its own, of 24 bytes, as session.c has it; small payloads go with it at once.
enum { MOST_KINDS = 32 };
static struct sent {
  unsigned count;
  size_t length;
  char payload[1 << 14];
} sent[MOST_KINDS];
static pthread_mutex_t sending = PTHREAD_MUTEX_INITIALIZER;

static void note(const struct msghdr *message) {
  struct {
    uint32_t magic;
    uint16_t kind;
  } header;
  if (message->msg_iov[0].iov_len != 24) return; // the rest of a frame
  memcpy(&header, message->msg_iov[0].iov_base, sizeof header);
  if (header.kind >= MOST_KINDS) abort();
  pthread_mutex_lock(&sending);
  struct sent *s = &sent[header.kind];
  s->count++;
  s->length = message->msg_iovlen > 1 ? message->msg_iov[1].iov_len : 0;
  if (s->length <= sizeof s->payload) memcpy(s->payload, message->msg_iovlen > 1 ? message->msg_iov[1].iov_base : "", s->length);
  pthread_mutex_unlock(&sending);
}
unsigned mac_sent_count(unsigned kind) {
  pthread_mutex_lock(&sending);
  unsigned count = sent[kind].count;
  pthread_mutex_unlock(&sending);
  return count;
}
size_t mac_sent(unsigned kind, void *payload, size_t size) {
  pthread_mutex_lock(&sending);
  size_t length = sent[kind].length;
  if (length > size || length > sizeof sent->payload) abort();
  memcpy(payload, sent[kind].payload, length);
  pthread_mutex_unlock(&sending);
  return length;
}

ssize_t mac_sendmsg(int fd, const struct msghdr *message, int flags) {
  enum { NO_SIGNAL = 0x4000 }; // Linux's
  note(message);
  if (flags & NO_SIGNAL) abort();
  return (sendmsg)(fd, message, fd == quiet ? flags | NO_SIGNAL : flags);
}
int mac_connect(int fd, const struct sockaddr *address, socklen_t size) {
  int result = (connect)(fd, address, size);
  if (result != 0 && errno == EAGAIN) errno = ECONNREFUSED;
  return result;
}

// Of all processes: the arguments, which Linux's dynamic linker hands to constructors as dyld does.
static int argument_count;
static char **arguments;
__attribute__((constructor(101))) static void remember(int argc, char **argv) { argument_count = argc, arguments = argv; }
int *_NSGetArgc(void) { return &argument_count; }
char ***_NSGetArgv(void) { return &arguments; }
