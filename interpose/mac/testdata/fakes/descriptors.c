// libsystem_kernel's calls at descriptors, in all of their variants, and kqueue. The rules are in the headers.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/event.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// A variant that is no cancellation point does what the function does.
#define VARIANT(type, name, suffix, call, parameters, arguments) \
  __attribute__((visibility("default"))) type call parameters __asm__("_" #name suffix); \
  type call parameters { return (name)arguments; }
#define NOCANCEL(type, name, parameters, arguments) VARIANT(type, name, "$NOCANCEL", mac_nocancel_##name, parameters, arguments)
NOCANCEL(ssize_t, read, (int fd, void *to, size_t size), (fd, to, size))
NOCANCEL(ssize_t, readv, (int fd, const struct iovec *to, int count), (fd, to, count))
NOCANCEL(ssize_t, pread, (int fd, void *to, size_t size, off_t at), (fd, to, size, at))
NOCANCEL(ssize_t, write, (int fd, const void *from, size_t size), (fd, from, size))
NOCANCEL(ssize_t, writev, (int fd, const struct iovec *from, int count), (fd, from, count))
NOCANCEL(ssize_t, pwrite, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at))
NOCANCEL(ssize_t, recv, (int fd, void *to, size_t size, int flags), (fd, to, size, flags))
NOCANCEL(ssize_t, recvfrom, (int fd, void *to, size_t size, int flags, struct sockaddr *from, socklen_t *length), (fd, to, size, flags, from, length))
NOCANCEL(ssize_t, recvmsg, (int fd, struct msghdr *to, int flags), (fd, to, flags))
NOCANCEL(ssize_t, send, (int fd, const void *from, size_t size, int flags), (fd, from, size, flags))
NOCANCEL(ssize_t, sendto, (int fd, const void *from, size_t size, int flags, const struct sockaddr *to, socklen_t length),
         (fd, from, size, flags, to, length))
NOCANCEL(ssize_t, sendmsg, (int fd, const struct msghdr *from, int flags), (fd, from, flags))
NOCANCEL(int, accept, (int fd, struct sockaddr *from, socklen_t *length), (fd, from, length))
NOCANCEL(int, connect, (int fd, const struct sockaddr *to, socklen_t length), (fd, to, length))
NOCANCEL(int, fsync, (int fd), (fd))
NOCANCEL(int, poll, (struct pollfd *list, nfds_t count, int milliseconds), (list, count, milliseconds))
NOCANCEL(int, nanosleep, (const struct timespec *time, struct timespec *left), (time, left))
NOCANCEL(int, usleep, (useconds_t time), (time))
NOCANCEL(unsigned, sleep, (unsigned seconds), (seconds))
NOCANCEL(int, pthread_join, (pthread_t thread, void **value), (thread, value))

#define SELECTS(name, suffix) \
  VARIANT(int, select, suffix, mac_select_##name, (int count, fd_set *in, fd_set *out, fd_set *except, struct timeval *time), (count, in, out, except, time)) \
  VARIANT(int, pselect, suffix, mac_pselect_##name, (int count, fd_set *in, fd_set *out, fd_set *except, const struct timespec *time, const sigset_t *mask), \
          (count, in, out, except, time, mask))
SELECTS(plain, "")
SELECTS(nocancel, "$NOCANCEL")
SELECTS(extended, "$DARWIN_EXTSN")
SELECTS(extended_nocancel, "$DARWIN_EXTSN$NOCANCEL")
SELECTS(checked, "$1050")

static int own_command(int fd, int command, void *third) {
  if (command == F_FULLFSYNC || command == F_BARRIERFSYNC) return fsync(fd);
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, third, 1023);
  if (length < 0) return -1;
  ((char *)third)[length] = 0;
  if (*(char *)third == '/') return 0;
  errno = EBADF;
  return -1;
}
#define FCNTL(function) \
  int function(int fd, int command, ...) { \
    va_list more; \
    va_start(more, command); \
    void *third = va_arg(more, void *); \
    va_end(more); \
    bool own = command == F_GETPATH || command == F_FULLFSYNC || command == F_BARRIERFSYNC; \
    return own ? own_command(fd, command, third) : (fcntl)(fd, command, third); \
  }
FCNTL(mac_fcntl)
__attribute__((visibility("default"))) int mac_nocancel_fcntl(int fd, int command, ...) __asm__("_fcntl$NOCANCEL");
FCNTL(mac_nocancel_fcntl)

int mac_getsockopt(int fd, int level, int option, void *value, socklen_t *size) {
  if (level != SOL_LOCAL || option != LOCAL_PEERPID) return (getsockopt)(fd, level, option, value, size);
  struct ucred peer;
  socklen_t needed = sizeof peer;
  if (*size != sizeof(pid_t)) abort();
  int result = (getsockopt)(fd, SOL_SOCKET, SO_PEERCRED, &peer, &needed);
  if (result == 0) *(pid_t *)value = peer.pid;
  return result;
}

// One kqueue, whose descriptor is that of its own event, and what is registered at it.
enum { MOST = 8 };
static int queue_event = -1, registered;
static struct kevent64_s events_of[MOST];

int kqueue(void) { return queue_event = eventfd(0, EFD_NONBLOCK); }

static void change(const struct kevent64_s *e) {
  uint64_t one = 1;
  if (e->fflags & NOTE_TRIGGER) {
    if (write(queue_event, &one, sizeof one) != sizeof one) abort();
  } else {
    if (registered == MOST) abort();
    events_of[registered++] = *e;
  }
}
static int await(struct kevent64_s *event, int count, const struct timespec *time) {
  if (count <= 0) return 0;
  struct pollfd list[MOST];
  int timeout = time ? (int)(time->tv_sec * 1000 + time->tv_nsec / 1000000) : -1;
  for (int i = 0; i < registered; i++) {
    list[i] = (struct pollfd){events_of[i].filter == EVFILT_READ ? (int)events_of[i].ident : queue_event, POLLIN, 0};
    if (events_of[i].filter == EVFILT_TIMER) list[i].fd = -1, timeout = (int)events_of[i].data;
  }
  int ready = poll(list, (nfds_t)registered, timeout);
  for (int i = 0; i < registered; i++)
    if (list[i].revents || (ready == 0 && list[i].fd < 0)) {
      uint64_t value;
      if (events_of[i].filter == EVFILT_USER && read(queue_event, &value, sizeof value) < 0) abort();
      *event = events_of[i];
      events_of[i] = events_of[--registered];
      return 1;
    }
  return ready;
}
int kevent64(int queue, const struct kevent64_s *changes, int changed, struct kevent64_s *events, int count, unsigned flags,
             const struct timespec *time) {
  if (queue != queue_event || flags) abort();
  for (int i = 0; i < changed; i++) change(&changes[i]);
  return await(events, count, time);
}
int kevent(int queue, const struct kevent *changes, int changed, struct kevent *events, int count, const struct timespec *time) {
  if (queue != queue_event) abort();
  for (int i = 0; i < changed; i++)
    change(&(struct kevent64_s){.ident = changes[i].ident, .filter = changes[i].filter, .fflags = changes[i].fflags, .data = changes[i].data});
  struct kevent64_s one;
  int result = await(&one, count, time);
  if (result > 0) *events = (struct kevent){.ident = (uintptr_t)one.ident, .filter = one.filter};
  return result;
}
