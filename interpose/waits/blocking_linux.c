// Linux: records waits in blocking functions. The functions exported here are found before the C library's, because the
// library is preloaded; so are their checked variants, which programs compiled with _FORTIFY_SOURCE call. Calls inside
// the C library do not come here, so the functions of <stdio.h> that fill a buffer are replaced, too. A call that finds
// all its data in the stream's buffer does not wait, so it is not measured.
//
// When a descriptor is ready, epoll reports not the descriptor but the data that the program has attached to it.
// Therefore epoll_ctl is replaced, too, to learn which data belongs to which descriptor.
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "system/originals.h"
#include "waits/blocking.h"

#define EXPORT __attribute__((visibility("default")))

#define AT(type, name, fd, ...) MT_BLOCKS_AT(type, name, fd, ORIGINAL(name)(__VA_ARGS__))
#define AT_AS(type, name, original, fd, ...) MT_BLOCKS_AT(type, name, fd, ORIGINAL(original)(__VA_ARGS__))
// The body of a replaced function that waits for several descriptors; ready is the one that ended the wait, or -1.
#define AT_ONE_OF(type, name, original, on, ready, ...) \
  MT_BLOCKS(type, name, on, ready, result == 0, ORIGINAL(original)(__VA_ARGS__))

EXPORT ssize_t read(int fd, void *to, size_t size) { AT(ssize_t, read, fd, fd, to, size); }
EXPORT ssize_t __read_chk(int fd, void *to, size_t size, size_t room) {
  AT_AS(ssize_t, read, __read_chk, fd, fd, to, size, room);
}
EXPORT ssize_t readv(int fd, const struct iovec *to, int count) { AT(ssize_t, readv, fd, fd, to, count); }
EXPORT ssize_t pread(int fd, void *to, size_t size, off_t at) { AT(ssize_t, pread, fd, fd, to, size, at); }
EXPORT ssize_t pread64(int fd, void *to, size_t size, off64_t at) {
  AT_AS(ssize_t, pread, pread64, fd, fd, to, size, at);
}
EXPORT ssize_t write(int fd, const void *from, size_t size) { AT(ssize_t, write, fd, fd, from, size); }
EXPORT ssize_t writev(int fd, const struct iovec *from, int count) { AT(ssize_t, writev, fd, fd, from, count); }
EXPORT ssize_t recv(int fd, void *to, size_t size, int flags) { AT(ssize_t, recv, fd, fd, to, size, flags); }
EXPORT ssize_t __recv_chk(int fd, void *to, size_t size, size_t room, int flags) {
  AT_AS(ssize_t, recv, __recv_chk, fd, fd, to, size, room, flags);
}
EXPORT ssize_t recvfrom(int fd, void *to, size_t size, int flags, struct sockaddr *from, socklen_t *length) {
  AT(ssize_t, recvfrom, fd, fd, to, size, flags, from, length);
}
EXPORT ssize_t recvmsg(int fd, struct msghdr *to, int flags) { AT(ssize_t, recvmsg, fd, fd, to, flags); }
EXPORT ssize_t send(int fd, const void *from, size_t size, int flags) { AT(ssize_t, send, fd, fd, from, size, flags); }
EXPORT ssize_t sendmsg(int fd, const struct msghdr *from, int flags) { AT(ssize_t, sendmsg, fd, fd, from, flags); }
EXPORT int accept(int fd, struct sockaddr *from, socklen_t *length) { AT(int, accept, fd, fd, from, length); }
EXPORT ssize_t sendto(int fd, const void *from, size_t size, int flags, const struct sockaddr *to, socklen_t length) {
  AT(ssize_t, sendto, fd, fd, from, size, flags, to, length);
}
EXPORT int connect(int fd, const struct sockaddr *to, socklen_t length) { AT(int, connect, fd, fd, to, length); }
EXPORT ssize_t pwrite(int fd, const void *from, size_t size, off_t at) { AT(ssize_t, pwrite, fd, fd, from, size, at); }
EXPORT ssize_t pwrite64(int fd, const void *from, size_t size, off64_t at) {
  AT_AS(ssize_t, pwrite, pwrite64, fd, fd, from, size, at);
}
EXPORT int fsync(int fd) { AT(int, fsync, fd, fd); }
EXPORT int fdatasync(int fd) { AT(int, fdatasync, fd, fd); }
EXPORT int accept4(int fd, struct sockaddr *from, socklen_t *length, int flags) {
  AT_AS(int, accept, accept4, fd, fd, from, length, flags);
}

EXPORT int poll(struct pollfd *list, nfds_t count, int milliseconds) {
  AT_ONE_OF(int, poll, poll, -1, mt_ready_in(list, count, result), list, count, milliseconds);
}
EXPORT int __poll_chk(struct pollfd *list, nfds_t count, int milliseconds, size_t room) {
  AT_ONE_OF(int, poll, __poll_chk, -1, mt_ready_in(list, count, result), list, count, milliseconds, room);
}
EXPORT int ppoll(struct pollfd *list, nfds_t count, const struct timespec *time, const sigset_t *mask) {
  AT_ONE_OF(int, ppoll, ppoll, -1, mt_ready_in(list, count, result), list, count, time, mask);
}

EXPORT int select(int count, fd_set *in, fd_set *out, fd_set *except, struct timeval *time) {
  AT_ONE_OF(int, select, select, -1, mt_ready_of(count, in, out, result), count, in, out, except, time);
}
EXPORT int pselect(int count, fd_set *in, fd_set *out, fd_set *except, const struct timespec *time,
    const sigset_t *mask) {
  AT_ONE_OF(int, pselect, pselect, -1, mt_ready_of(count, in, out, result), count, in, out, except, time, mask);
}

// A table that finds a descriptor by the data that the program attached to it with epoll_ctl. key is a hash of the data
// and the epoll instance; fd is the descriptor exclusive-or the key. If two threads write an entry at once and a reader
// sees half of each, the result is no valid descriptor and is ignored.
enum { ATTACHED = 1024 };
static struct attached {
  _Atomic uint64_t key, fd;
} attached[ATTACHED];

static uint64_t key_of(int epoll, epoll_data_t data) {
  return (data.u64 ^ (uint64_t)(uint32_t)epoll << 40) * 0x9e3779b97f4a7c15u;
}

EXPORT int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event) {
  int result = ORIGINAL(epoll_ctl)(epoll, operation, fd, event);
  if (result == 0 && operation != EPOLL_CTL_DEL && mt_locks_on()) {
    uint64_t key = key_of(epoll, event->data);
    struct attached *a = &attached[key >> 32 & (ATTACHED - 1)];
    atomic_store_explicit(&a->fd, key ^ (uint64_t)(uint32_t)fd, memory_order_relaxed);
    atomic_store_explicit(&a->key, key, memory_order_relaxed);
  }
  return result;
}

static int attached_to(int epoll, const struct epoll_event *events, int result) {
  if (result < 1) return -1;
  uint64_t key = key_of(epoll, events[0].data);
  struct attached *a = &attached[key >> 32 & (ATTACHED - 1)];
  uint64_t fd = atomic_load_explicit(&a->fd, memory_order_relaxed) ^ key;
  return atomic_load_explicit(&a->key, memory_order_relaxed) == key && fd <= INT32_MAX ? (int)fd : -1;
}

EXPORT int epoll_wait(int epoll, struct epoll_event *events, int count, int milliseconds) {
  AT_ONE_OF(int, epoll_wait, epoll_wait, epoll, attached_to(epoll, events, result), epoll, events, count, milliseconds);
}
EXPORT int epoll_pwait(int epoll, struct epoll_event *events, int count, int milliseconds, const sigset_t *mask) {
  AT_ONE_OF(int, epoll_pwait, epoll_pwait, epoll, attached_to(epoll, events, result), epoll, events, count,
      milliseconds, mask);
}

// Returns the number of unread bytes in a stream's buffer. It uses the layout of struct_FILE.h, which cannot change
// because programs are compiled with it.
static size_t buffered(const FILE *f) {
  return f->_IO_read_end > f->_IO_read_ptr ? (size_t)(f->_IO_read_end - f->_IO_read_ptr) : 0;
}
static bool has(const FILE *f, int delimiter) {
  size_t size = buffered(f);
  return size > 0 && memchr(f->_IO_read_ptr, delimiter, size);
}

EXPORT size_t fread(void *to, size_t size, size_t count, FILE *f) {
  if (size == 0 || count <= buffered(f) / size) return ORIGINAL(fread)(to, size, count, f);
  AT_AS(size_t, fread, fread, fileno(f), to, size, count, f);
}
EXPORT size_t __fread_chk(void *to, size_t room, size_t size, size_t count, FILE *f) {
  if (size == 0 || count <= buffered(f) / size) return ORIGINAL(__fread_chk)(to, room, size, count, f);
  AT_AS(size_t, fread, __fread_chk, fileno(f), to, room, size, count, f);
}
EXPORT char *fgets(char *to, int size, FILE *f) {
  if (has(f, '\n')) return ORIGINAL(fgets)(to, size, f);
  AT_AS(char *, fgets, fgets, fileno(f), to, size, f);
}
EXPORT char *__fgets_chk(char *to, size_t room, int size, FILE *f) {
  if (has(f, '\n')) return ORIGINAL(__fgets_chk)(to, room, size, f);
  AT_AS(char *, fgets, __fgets_chk, fileno(f), to, room, size, f);
}
EXPORT ssize_t getdelim(char **to, size_t *size, int delimiter, FILE *f) {
  if (has(f, delimiter)) return ORIGINAL(getdelim)(to, size, delimiter, f);
  AT_AS(ssize_t, getdelim, getdelim, fileno(f), to, size, delimiter, f);
}
// getline is replaced although it calls getdelim, which is replaced, too: inside the C library the call goes to
// another name of getdelim, and would not be recorded.
EXPORT ssize_t getline(char **to, size_t *size, FILE *f) { return getdelim(to, size, '\n', f); }

#define IN(type, name, ...) MT_BLOCKS_IN(type, name, ORIGINAL(name)(__VA_ARGS__))

EXPORT int nanosleep(const struct timespec *time, struct timespec *left) { IN(int, nanosleep, time, left); }
EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
  IN(int, clock_nanosleep, clock, flags, time, left);
}
EXPORT int usleep(useconds_t time) { IN(int, usleep, time); }
EXPORT unsigned sleep(unsigned seconds) { IN(unsigned, sleep, seconds); }
EXPORT int pthread_join(pthread_t thread, void **value) { IN(int, pthread_join, thread, value); }
