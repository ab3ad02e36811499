// macOS: records waits in blocking functions; locks_darwin.c describes how functions are replaced. Many functions
// have two symbols: the one with $NOCANCEL is not a cancellation point, and Apple's own libraries use it, for example
// <stdio.h>. select and pselect also have variants for a larger range of descriptors. All of these symbols are weak:
// if a system lacks one, dyld drops its replacement.
//
// Calls between Apple's own libraries mostly do not reach the replacements; docs/locks.md lists which do.
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/event.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "waits/blocking.h"

extern int fdatasync(int fd); // exported, but declared in no header
#define WEAK __attribute__((weak_import))

// Lists the functions that wait for the descriptor fd: type, name, parameters, arguments.
#define AT_DESCRIPTOR(X) \
  X(ssize_t, read, (int fd, void *to, size_t size), (fd, to, size)) \
  X(ssize_t, readv, (int fd, const struct iovec *to, int count), (fd, to, count)) \
  X(ssize_t, pread, (int fd, void *to, size_t size, off_t at), (fd, to, size, at)) \
  X(ssize_t, write, (int fd, const void *from, size_t size), (fd, from, size)) \
  X(ssize_t, writev, (int fd, const struct iovec *from, int count), (fd, from, count)) \
  X(ssize_t, pwrite, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at)) \
  X(ssize_t, recv, (int fd, void *to, size_t size, int flags), (fd, to, size, flags)) \
  X(ssize_t, recvfrom, (int fd, void *to, size_t size, int flags, struct sockaddr *from, socklen_t *length), \
      (fd, to, size, flags, from, length)) \
  X(ssize_t, recvmsg, (int fd, struct msghdr *to, int flags), (fd, to, flags)) \
  X(ssize_t, send, (int fd, const void *from, size_t size, int flags), (fd, from, size, flags)) \
  X(ssize_t, sendto, (int fd, const void *from, size_t size, int flags, const struct sockaddr *to, socklen_t length), \
      (fd, from, size, flags, to, length)) \
  X(ssize_t, sendmsg, (int fd, const struct msghdr *from, int flags), (fd, from, flags)) \
  X(int, accept, (int fd, struct sockaddr *from, socklen_t *length), (fd, from, length)) \
  X(int, connect, (int fd, const struct sockaddr *to, socklen_t length), (fd, to, length)) \
  X(int, fsync, (int fd), (fd))

#define X(type, name, parameters, arguments) \
  extern type nocancel_##name parameters __asm("_" #name "$NOCANCEL") WEAK; \
  static type waits_in_##name parameters { MT_BLOCKS_AT(type, name, fd, name arguments); } \
  static type waits_in_nocancel_##name parameters { MT_BLOCKS_AT(type, name, fd, nocancel_##name arguments); }
AT_DESCRIPTOR(X)
#undef X

static int waits_in_fdatasync(int fd) { MT_BLOCKS_AT(int, fdatasync, fd, fdatasync(fd)); }

// Replaces fcntl. Its third argument is a number, a pointer or missing; here it is read and passed on as a pointer,
// which has the same value in each case. Only the commands that wait for the disk are measured.
extern int nocancel_fcntl(int fd, int command, ...) __asm("_fcntl$NOCANCEL") WEAK;
static bool waits_for_disk(int command) { return command == F_FULLFSYNC || command == F_BARRIERFSYNC; }
#define THIRD(command) \
  va_list more; \
  va_start(more, command); \
  void *third = va_arg(more, void *); \
  va_end(more)
static int waits_in_fcntl(int fd, int command, ...) {
  THIRD(command);
  if (!waits_for_disk(command)) return fcntl(fd, command, third);
  MT_BLOCKS_AT(int, fcntl, fd, fcntl(fd, command, third));
}
static int waits_in_nocancel_fcntl(int fd, int command, ...) {
  THIRD(command);
  if (!waits_for_disk(command)) return nocancel_fcntl(fd, command, third);
  MT_BLOCKS_AT(int, fcntl, fd, nocancel_fcntl(fd, command, third));
}

// The functions that wait for one of several descriptors: poll, select and their variants.
#define WAITS_IN_POLL(function, original) \
  static int function(struct pollfd *list, nfds_t count, int milliseconds) { \
    MT_BLOCKS(int, poll, -1, mt_ready_in(list, count, result), result == 0, original(list, count, milliseconds)); \
  }
extern int nocancel_poll(struct pollfd *list, nfds_t count, int milliseconds) __asm("_poll$NOCANCEL") WEAK;
WAITS_IN_POLL(waits_in_poll, poll)
WAITS_IN_POLL(waits_in_nocancel_poll, nocancel_poll)

#ifdef __x86_64__
#define SELECTS_OF_INTEL(X) X(checked, "$1050")
#else
#define SELECTS_OF_INTEL(X)
#endif
#define SELECTS(X) \
  X(plain, "") X(nocancel, "$NOCANCEL") X(extended, "$DARWIN_EXTSN") X(extended_nocancel, "$DARWIN_EXTSN$NOCANCEL") \
  SELECTS_OF_INTEL(X)
#define X(variant, suffix) \
  extern int select_##variant(int count, fd_set *in, fd_set *out, fd_set *except, struct timeval *time) \
      __asm("_select" suffix) WEAK; \
  extern int pselect_##variant(int count, fd_set *in, fd_set *out, fd_set *except, const struct timespec *time, \
      const sigset_t *mask) __asm("_pselect" suffix) WEAK; \
  static int waits_in_select_##variant(int count, fd_set *in, fd_set *out, fd_set *except, struct timeval *time) { \
    MT_BLOCKS(int, select, -1, mt_ready_of(count, in, out, result), result == 0, \
        select_##variant(count, in, out, except, time)); \
  } \
  static int waits_in_pselect_##variant(int count, fd_set *in, fd_set *out, fd_set *except, \
      const struct timespec *time, const sigset_t *mask) { \
    MT_BLOCKS(int, pselect, -1, mt_ready_of(count, in, out, result), result == 0, \
        pselect_##variant(count, in, out, except, time, mask)); \
  }
SELECTS(X)
#undef X

// Records a finished wait for a kqueue according to its first event. An event for reading or writing names the
// descriptor that is ready; other events come from the program itself (EVFILT_USER), a timer or the kernel.
static void waited_at_queue(unsigned call, uint64_t begin, int result, int filter, uint64_t ident, const void *frame) {
  if (!mt_blocked(begin)) return;
  if (result == 0) mt_blocked_for(call, begin, MT_DESCRIPTOR_TIMEOUT, frame);
  else if (result < 0) mt_blocked_on(call, begin, -1, frame);
  else if (filter == EVFILT_READ || filter == EVFILT_WRITE) mt_blocked_on(call, begin, (int)ident, frame);
  else if (filter == EVFILT_USER) mt_blocked_for(call, begin, MT_DESCRIPTOR_EVENT, frame);
  else mt_blocked_for(call, begin, filter == EVFILT_TIMER ? MT_DESCRIPTOR_TIMER : MT_DESCRIPTOR_OTHER, frame);
}

// Replaces kevent and its variants. A call with no space for events only changes the queue and does not wait, so it
// is not measured.
#define WAITS_IN_KEVENT(name, parameters, arguments) \
  static int waits_in_##name parameters { \
    if (count <= 0) return name arguments; \
    uint64_t begin = mt_blocking_begin(MT_CALL_signal_##name, (uint64_t)queue); \
    int result = name arguments; \
    waited_at_queue(MT_CALL_signal_##name, begin, result, result > 0 ? events->filter : 0, \
        result > 0 ? events->ident : 0, __builtin_frame_address(0)); \
    return result; \
  }
WAITS_IN_KEVENT(kevent,
    (int queue, const struct kevent *changes, int changed, struct kevent *events, int count,
        const struct timespec *time), (queue, changes, changed, events, count, time))
WAITS_IN_KEVENT(kevent64,
    (int queue, const struct kevent64_s *changes, int changed, struct kevent64_s *events, int count, unsigned flags,
        const struct timespec *time), (queue, changes, changed, events, count, flags, time))

// Lists the functions that wait for a time to pass or for a thread to end.
#define FOR_A_TIME(X) \
  X(int, nanosleep, (const struct timespec *time, struct timespec *left), (time, left)) \
  X(int, usleep, (useconds_t time), (time)) \
  X(unsigned, sleep, (unsigned seconds), (seconds)) \
  X(int, pthread_join, (pthread_t thread, void **value), (thread, value))
#define X(type, name, parameters, arguments) \
  extern type nocancel_##name parameters __asm("_" #name "$NOCANCEL") WEAK; \
  static type waits_in_##name parameters { MT_BLOCKS_IN(type, name, name arguments); } \
  static type waits_in_nocancel_##name parameters { MT_BLOCKS_IN(type, name, nocancel_##name arguments); }
FOR_A_TIME(X)
#undef X

#define PAIR(name) {(const void *)waits_in_##name, (const void *)name},
#define TWO_PAIRS(type, name, parameters, arguments) PAIR(name) PAIR(nocancel_##name)
#define SELECT_PAIRS(variant, suffix) PAIR(select_##variant) PAIR(pselect_##variant)
__attribute__((used, section("__DATA,__interpose"))) static const struct {
  const void *replacement, *original;
} blocking_pairs[] = {
    AT_DESCRIPTOR(TWO_PAIRS) FOR_A_TIME(TWO_PAIRS) SELECTS(SELECT_PAIRS) PAIR(fdatasync) PAIR(fcntl)
        PAIR(nocancel_fcntl) PAIR(poll) PAIR(nocancel_poll) PAIR(kevent) PAIR(kevent64)
};
