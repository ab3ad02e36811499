// blocking_darwin.c, descriptorfacts_darwin.c and ulocks_darwin.c: every call that blocks is recorded, with what it waited for and who ended the
// wait; the program gets what the original gives, errno with it. Calls of Apple's own libraries are not recorded where they may hold any lock.
#include <fcntl.h>
#include <os/lock.h>
#include <poll.h>
#include <string.h>
#include <sys/event.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include "check.h"
#include "fakes.h"
#include "waits/blocking.h"

// What dyld binds the program's calls to.
#define BOUND(name) ((__typeof__(name) *)mac_replacement((const void *)(name)))

static bool traced;
static uint64_t seen;
static const struct record *more; // of the wait that was looked at last
static const struct record *next_blocked(void) {
  struct thread *t = mt_thread();
  for (; seen < t->head; seen++) {
    const struct record *r = mt_ring_slot(t->ring, seen);
    if (r->call >= MT_CALL_signal_read && r->call != MT_CALL_tracer_pipe_writer && r->call != MT_CALL_tracer_more) return mt_ring_slot(t->ring, seen++);
  }
  return NULL;
}

// One wait is recorded of this thread: the record.
static const struct record *blocked(unsigned call, const char *what) {
  if (!traced) return NULL;
  const struct record *r = next_blocked();
  if (!r || r->call != call) fprintf(stderr, "%s: call %u is recorded, not %u\n", what, r ? r->call : 0, call);
  CHECK(r && r->call == call && r->end > r->begin && r->flags & MT_FLAG_HAS_MORE);
  more = mt_ring_slot(mt_thread()->ring, seen);
  CHECK(!next_blocked());
  return r;
}
static void blocked_at(unsigned call, uint32_t kind, bool late, const char *what) {
  const struct record *r = blocked(call, what);
  if (r && (r->object != kind || !(r->flags & MT_FLAG_FAILED) == late)) fprintf(stderr, "%s: kind %u, not %u\n", what, (unsigned)r->object, kind);
  CHECK(!r || (r->object == kind && !(r->flags & MT_FLAG_FAILED) != late));
}
#define AT(call, kind) blocked_at(MT_CALL_signal_##call, MT_DESCRIPTOR_##kind, false, #call)

// Calls that do not wait, which are not recorded even if they are preempted for as long as a wait.
static uint64_t least;
static void quick(void) { least = mt_blocked_ticks, mt_blocked_ticks = UINT64_MAX; }
static void slow(void) { mt_blocked_ticks = least; }

// Another thread does something once this one sleeps.
static pthread_t other;
static _Atomic uint64_t other_id;
static void (*doing)(void);
static bool main_sleeps(void) {
  char path[64], state = 0;
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)getpid());
  FILE *file = fopen(path, "r");
  CHECK(file && fscanf(file, "%*d (%*[^)]) %c", &state) == 1);
  fclose(file);
  return state == 'S';
}
static void until_main_sleeps(void) {
  for (int slept = 0; slept < 3; slept = main_sleeps() ? slept + 1 : 0) pause_ms(1);
}
static void *does(void *nothing) {
  other_id = mt_thread_id();
  until_main_sleeps();
  doing();
  return nothing;
}
static void meanwhile(void (*what)(void)) {
  doing = what;
  CHECK(pthread_create(&other, NULL, does, NULL) == 0);
}
static void over(void) { CHECK(pthread_join(other, NULL) == 0); }

static int pipes[2], sockets[2], listener;
static struct sockaddr_un name = {AF_UNIX, ""};
static char bytes[1 << 12];
static void writes_pipe(void) { CHECK(write(pipes[1], "x", 1) == 1); }
static void writes_socket(void) { CHECK(write(sockets[1], "x", 1) == 1); }
static void reads_pipe(void) {
  char read_by_other[1 << 12];
  while (read(pipes[0], read_by_other, sizeof read_by_other) > 0) { }
}
static void reads_socket(void) {
  char read_by_other[1 << 12];
  while (recv(sockets[1], read_by_other, sizeof read_by_other, MSG_DONTWAIT) > 0) { }
}
static void connects(void) {
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK(connect(fd, (struct sockaddr *)&name, sizeof name) == 0);
  close(fd);
}
static void accepts(void) {
  for (int i = 0; i < 2; i++) close(accept(listener, NULL, NULL));
}

#define NOCANCEL(type, name, parameters) extern type nocancel_##name parameters __asm__("_" #name "$NOCANCEL");
NOCANCEL(ssize_t, read, (int, void *, size_t))
NOCANCEL(ssize_t, readv, (int, const struct iovec *, int))
NOCANCEL(ssize_t, pread, (int, void *, size_t, off_t))
NOCANCEL(ssize_t, write, (int, const void *, size_t))
NOCANCEL(ssize_t, writev, (int, const struct iovec *, int))
NOCANCEL(ssize_t, pwrite, (int, const void *, size_t, off_t))
NOCANCEL(ssize_t, recv, (int, void *, size_t, int))
NOCANCEL(ssize_t, recvfrom, (int, void *, size_t, int, struct sockaddr *, socklen_t *))
NOCANCEL(ssize_t, recvmsg, (int, struct msghdr *, int))
NOCANCEL(ssize_t, send, (int, const void *, size_t, int))
NOCANCEL(ssize_t, sendto, (int, const void *, size_t, int, const struct sockaddr *, socklen_t))
NOCANCEL(ssize_t, sendmsg, (int, const struct msghdr *, int))
NOCANCEL(int, accept, (int, struct sockaddr *, socklen_t *))
NOCANCEL(int, connect, (int, const struct sockaddr *, socklen_t))
NOCANCEL(int, fsync, (int))
NOCANCEL(int, fcntl, (int, int, ...))
NOCANCEL(int, poll, (struct pollfd *, nfds_t, int))
NOCANCEL(int, nanosleep, (const struct timespec *, struct timespec *))
NOCANCEL(int, usleep, (useconds_t))
NOCANCEL(unsigned, sleep, (unsigned))
NOCANCEL(int, pthread_join, (pthread_t, void **))

// Both variants of a function, each while another thread does what ends the wait.
#define BOTH(call, kind, before, what, right, arguments) \
  do { \
    before, meanwhile(what); \
    CHECK(BOUND(call) arguments right); \
    over(), AT(call, kind); \
    before, meanwhile(what); \
    CHECK(BOUND(nocancel_##call) arguments right); \
    over(), AT(call, kind); \
  } while (0)
#define INPUT(call, kind, what, arguments) BOTH(call, kind, (void)0, what, == 1, arguments)

static void fill(int fd) {
  fcntl(fd, F_SETFL, O_NONBLOCK | O_RDWR);
  while (write(fd, bytes, sizeof bytes) > 0) { }
  while (write(fd, bytes, 1) > 0) { }
  fcntl(fd, F_SETFL, O_RDWR);
}

static void inputs(void) {
  struct iovec one = {bytes, 1};
  struct msghdr message = {.msg_iov = &one, .msg_iovlen = 1};
  CHECK(pipe(pipes) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
  INPUT(read, OWN_PIPE, writes_pipe, (pipes[0], bytes, 1));
  INPUT(readv, OWN_PIPE, writes_pipe, (pipes[0], &one, 1));
  INPUT(recv, PAIR, writes_socket, (sockets[0], bytes, 1, 0));
  INPUT(recvfrom, PAIR, writes_socket, (sockets[0], bytes, 1, 0, NULL, NULL));
  INPUT(recvmsg, PAIR, writes_socket, (sockets[0], &message, 0));

  fcntl(pipes[0], F_SETFL, O_NONBLOCK);
  BOTH(write, OWN_PIPE, fill(pipes[1]), reads_pipe, == 1, (pipes[1], bytes, 1));
  BOTH(writev, OWN_PIPE, fill(pipes[1]), reads_pipe, == 1, (pipes[1], &one, 1));
  reads_pipe();
  fcntl(pipes[0], F_SETFL, 0);
  BOTH(send, PAIR, fill(sockets[0]), reads_socket, == 1, (sockets[0], bytes, 1, 0));
  BOTH(sendto, PAIR, fill(sockets[0]), reads_socket, == 1, (sockets[0], bytes, 1, 0, NULL, 0));
  BOTH(sendmsg, PAIR, fill(sockets[0]), reads_socket, == 1, (sockets[0], &message, 0));
  reads_socket();

  // An end of the file, and a descriptor that is none: errno is the original's, and nothing is recorded of what did not wait.
  quick();
  errno = 0;
  CHECK(BOUND(read)(-1, bytes, 1) == -1 && errno == EBADF);
  slow();
  if (traced) CHECK(!next_blocked());
}

static void connections(void) {
  snprintf(name.sun_path, sizeof name.sun_path, "/tmp/mac-blocking.%d", (int)getpid());
  unlink(name.sun_path);
  listener = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK(bind(listener, (struct sockaddr *)&name, sizeof name) == 0 && listen(listener, 0) == 0);
  BOTH(accept, SOCKET, (void)0, connects, >= 0, (listener, NULL, NULL));
  for (int variant = 0; variant < 2; variant++) {
    int first = socket(AF_UNIX, SOCK_STREAM, 0), second = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(connect(first, (struct sockaddr *)&name, sizeof name) == 0);
    meanwhile(accepts);
    CHECK((variant ? BOUND(nocancel_connect) : BOUND(connect))(second, (struct sockaddr *)&name, sizeof name) == 0);
    over();
    AT(connect, SOCKET);
    if (traced) CHECK(more->begin != 0); // the path
    close(first), close(second);
  }
  unlink(name.sun_path);
}

// A fast disk does not block: here, every call counts as one that did.
static void disk(void) {
  uint64_t usual = mt_blocked_ticks;
  char path[] = "/tmp/mac-disk.XXXXXX";
  int file = mkstemp(path);
  CHECK(file >= 0 && write(file, "abc", 3) == 3);
  if (traced) mt_blocked_ticks = 1;
  CHECK(BOUND(pread)(file, bytes, 1, 1) == 1 && bytes[0] == 'b'), AT(pread, FILE);
  CHECK(BOUND(nocancel_pread)(file, bytes, 1, 2) == 1 && bytes[0] == 'c'), AT(pread, FILE);
  CHECK(BOUND(pwrite)(file, "d", 1, 0) == 1), AT(pwrite, FILE);
  CHECK(BOUND(nocancel_pwrite)(file, "d", 1, 0) == 1), AT(pwrite, FILE);
  CHECK(BOUND(fsync)(file) == 0), AT(fsync, FILE);
  CHECK(BOUND(nocancel_fsync)(file) == 0), AT(fsync, FILE);
  CHECK(BOUND(fdatasync)(file) == 0), AT(fdatasync, FILE);
  CHECK(BOUND(fcntl)(file, F_FULLFSYNC) == 0), AT(fcntl, FILE);
  CHECK(BOUND(nocancel_fcntl)(file, F_BARRIERFSYNC) == 0), AT(fcntl, FILE);
  if (traced) CHECK(more->begin != 0); // the path
  CHECK((BOUND(fcntl)(file, F_GETFL) & O_ACCMODE) == O_RDWR && BOUND(fcntl)(file, F_SETFD, FD_CLOEXEC) == 0);
  CHECK(BOUND(nocancel_fcntl)(file, F_GETFD) == FD_CLOEXEC);
  mt_blocked_ticks = usual;
  if (traced) CHECK(!next_blocked()); // commands that do not wait for the disk
  close(file), unlink(path);
}

#define SELECTS(name, suffix) \
  extern int select_##name(int, fd_set *, fd_set *, fd_set *, struct timeval *) __asm__("_select" suffix); \
  extern int pselect_##name(int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *) __asm__("_pselect" suffix);
SELECTS(plain, "")
SELECTS(nocancel, "$NOCANCEL")
SELECTS(extended, "$DARWIN_EXTSN")
SELECTS(extended_nocancel, "$DARWIN_EXTSN$NOCANCEL")
SELECTS(checked, "$1050")

static void take(void) { CHECK(read(pipes[0], bytes, 1) == 1); }
static void several(void) {
  struct pollfd list[] = {{sockets[0], POLLIN, 0}, {pipes[0], POLLIN, 0}};
  meanwhile(writes_pipe), CHECK(BOUND(poll)(list, 2, -1) == 1), over(), AT(poll, OWN_PIPE), take();
  meanwhile(writes_pipe), CHECK(BOUND(nocancel_poll)(list, 2, -1) == 1), over(), AT(poll, OWN_PIPE), take();
  CHECK(BOUND(poll)(list, 2, 2) == 0), blocked_at(MT_CALL_signal_poll, MT_DESCRIPTOR_TIMEOUT, true, "a timeout");
  quick(), CHECK(BOUND(poll)(list, 2, 0) == 0), slow();

  int (*selects[])(int, fd_set *, fd_set *, fd_set *, struct timeval *) = {BOUND(select_plain), BOUND(select_nocancel), BOUND(select_extended),
      BOUND(select_extended_nocancel), BOUND(select_checked)};
  int (*pselects[])(int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *) = {BOUND(pselect_plain), BOUND(pselect_nocancel),
      BOUND(pselect_extended), BOUND(pselect_extended_nocancel), BOUND(pselect_checked)};
  for (unsigned i = 0; i < sizeof selects / sizeof *selects; i++) {
    fd_set in;
    FD_ZERO(&in);
    FD_SET(pipes[0], &in);
    meanwhile(writes_pipe), CHECK(selects[i](pipes[0] + 1, &in, NULL, NULL, NULL) == 1), over(), AT(select, OWN_PIPE), take();
    meanwhile(writes_pipe), CHECK(pselects[i](pipes[0] + 1, &in, NULL, NULL, NULL, NULL) == 1), over(), AT(pselect, OWN_PIPE), take();
  }
}

static int queue;
static void triggers(void) {
  struct kevent trigger = {.ident = 1, .filter = EVFILT_USER, .fflags = NOTE_TRIGGER};
  CHECK(kevent(queue, &trigger, 1, NULL, 0, NULL) == 0);
}
static void events(void) {
  queue = kqueue();
  struct kevent event, reads = {.ident = (uintptr_t)pipes[0], .filter = EVFILT_READ, .flags = EV_ADD}, user = {.ident = 1, .filter = EVFILT_USER, .flags = EV_ADD},
      timer = {.filter = EVFILT_TIMER, .data = 2, .flags = EV_ADD};
  struct kevent64_s event64;
  struct timespec time = {0, 2000000};
  CHECK(BOUND(kevent)(queue, &reads, 1, NULL, 0, NULL) == 0);
  meanwhile(writes_pipe), CHECK(BOUND(kevent)(queue, NULL, 0, &event, 1, NULL) == 1 && event.ident == reads.ident), over(), AT(kevent, OWN_PIPE), take();
  CHECK(kevent(queue, &user, 1, NULL, 0, NULL) == 0);
  meanwhile(triggers), CHECK(BOUND(kevent64)(queue, NULL, 0, &event64, 1, 0, NULL) == 1 && event64.ident == 1), over(), AT(kevent64, EVENT);
  CHECK(BOUND(kevent)(queue, NULL, 0, &event, 1, &time) == 0), blocked_at(MT_CALL_signal_kevent, MT_DESCRIPTOR_TIMEOUT, true, "a timeout");
  CHECK(BOUND(kevent)(queue, &timer, 1, &event, 1, NULL) == 1 && event.filter == EVFILT_TIMER), AT(kevent, TIMER);
  CHECK(BOUND(kevent64)(queue, NULL, 0, NULL, 0, 0, NULL) == 0);
}

static void *sleeps(void *nothing) {
  until_main_sleeps();
  return nothing;
}
static void times(void) {
  struct timespec time = {0, 1000000};
  pthread_t thread;
  CHECK(BOUND(nanosleep)(&time, NULL) == 0), blocked(MT_CALL_signal_nanosleep, "nanosleep");
  CHECK(BOUND(nocancel_nanosleep)(&time, NULL) == 0), blocked(MT_CALL_signal_nanosleep, "nanosleep");
  CHECK(BOUND(usleep)(1000) == 0), blocked(MT_CALL_signal_usleep, "usleep");
  CHECK(BOUND(nocancel_usleep)(1000) == 0), blocked(MT_CALL_signal_usleep, "usleep");
  CHECK(BOUND(sleep)(1) == 0), blocked(MT_CALL_signal_sleep, "sleep");
  CHECK(BOUND(nocancel_sleep)(0) == 0);
  if (traced) next_blocked(); // it may have waited
  CHECK(pthread_create(&thread, NULL, sleeps, NULL) == 0 && BOUND(pthread_join)(thread, NULL) == 0), blocked(MT_CALL_signal_pthread_join, "pthread_join");
  CHECK(pthread_create(&thread, NULL, sleeps, NULL) == 0 && BOUND(nocancel_pthread_join)(thread, NULL) == 0),
      blocked(MT_CALL_signal_pthread_join, "pthread_join");
}

enum { COMPARE_AND_WAIT = 1, UNFAIR_LOCK = 2, WAKE_ALL = 0x100, NO_ERRNO = 0x01000000, CLOCK = 32 };
extern int __ulock_wait(uint32_t operation, void *word, uint64_t value, uint32_t microseconds);
extern int __ulock_wait2(uint32_t operation, void *word, uint64_t value, uint64_t time, uint64_t value2);
extern int __ulock_wake(uint32_t operation, void *word, uint64_t value);
extern int os_sync_wait_on_address(void *word, uint64_t value, size_t size, uint32_t flags);
extern int os_sync_wait_on_address_with_timeout(void *word, uint64_t value, size_t size, uint32_t flags, uint32_t clock, uint64_t nanoseconds);
extern int os_sync_wait_on_address_with_deadline(void *word, uint64_t value, size_t size, uint32_t flags, uint32_t clock, uint64_t until);
extern int os_sync_wake_by_address_any(void *word, size_t size, uint32_t flags);
extern int os_sync_wake_by_address_all(void *word, size_t size, uint32_t flags);

static uint32_t word;
static void wakes(void) { CHECK(BOUND(__ulock_wake)(COMPARE_AND_WAIT, &word, 0) == 0); }
static void wakes_any(void) { CHECK(BOUND(os_sync_wake_by_address_any)(&word, sizeof word, 0) == 0); }
static void wakes_all(void) { CHECK(BOUND(os_sync_wake_by_address_all)(&word, sizeof word, 0) == 0); }

static void woken(unsigned call, bool late, const char *what) {
  const struct record *r = blocked(call, what);
  CHECK(!r || (r->arg == (late ? 0 : other_id) && !(r->flags & MT_FLAG_FAILED) != late));
}
// The assembler statement keeps a compiler from jumping to the function, which would then return to another caller.
MAC_IN_SHARED_CACHE static int waits_in_cache(void) {
  int result = BOUND(__ulock_wait)(COMPARE_AND_WAIT, &word, 0, 1000);
  __asm__ volatile("" : "+r"(result));
  return result;
}

static void words(void) {
  meanwhile(wakes), CHECK(BOUND(__ulock_wait)(COMPARE_AND_WAIT, &word, 0, 0) == 0), over(), woken(MT_CALL_signal___ulock_wait, false, "__ulock_wait");
  meanwhile(wakes), CHECK(BOUND(__ulock_wait2)(COMPARE_AND_WAIT, &word, 0, 0, 0) == 0), over(), woken(MT_CALL_signal___ulock_wait2, false, "__ulock_wait2");
  meanwhile(wakes_any), CHECK(BOUND(os_sync_wait_on_address)(&word, 0, sizeof word, 0) == 0), over();
  woken(MT_CALL_signal_os_sync_wait_on_address, false, "os_sync_wait_on_address");
  meanwhile(wakes_all), CHECK(BOUND(os_sync_wait_on_address_with_timeout)(&word, 0, sizeof word, 0, CLOCK, 60000000000) == 0), over();
  woken(MT_CALL_signal_os_sync_wait_on_address_with_timeout, false, "with a timeout");
  errno = 0;
  CHECK(BOUND(os_sync_wait_on_address_with_deadline)(&word, 0, sizeof word, 0, CLOCK, 1) == -1 && errno == ETIMEDOUT);
  woken(MT_CALL_signal_os_sync_wait_on_address_with_deadline, true, "with a deadline");
  errno = 7;
  CHECK(BOUND(__ulock_wait)(COMPARE_AND_WAIT | NO_ERRNO, &word, 0, 1000) == -ETIMEDOUT && (!traced || errno == ETIMEDOUT || errno == 7));
  woken(MT_CALL_signal___ulock_wait, true, "a time");
  quick(), CHECK(BOUND(__ulock_wait)(COMPARE_AND_WAIT, &word, 1, 1000) == 0), slow();

  // Not recorded: waits for the kernel's own kind of lock, and those of Apple's libraries.
  CHECK(BOUND(__ulock_wait)(UNFAIR_LOCK, &word, 0, 1000) == -1 && waits_in_cache() == -1 && errno == ETIMEDOUT);
  if (traced) CHECK(!next_blocked());
}

static os_unfair_lock lock = OS_UNFAIR_LOCK_INIT;
static _Atomic bool inside;
static void *holds(void *nothing) {
  other_id = mt_thread_id();
  BOUND(os_unfair_lock_lock)(&lock);
  inside = true;
  until_main_sleeps();
  BOUND(os_unfair_lock_unlock)(&lock);
  return nothing;
}
MAC_IN_SHARED_CACHE static int locks_in_cache(void) {
  BOUND(os_unfair_lock_lock)(&lock);
  BOUND(os_unfair_lock_unlock)(&lock);
  return BOUND(os_unfair_lock_trylock)(&lock) + 0;
}
static void contends(int (*how)(void)) {
  inside = false;
  CHECK(pthread_create(&other, NULL, holds, NULL) == 0);
  while (!inside) pause_ms(1);
  if (how) {
    CHECK(how() == 1);
  } else {
    BOUND(os_unfair_lock_lock)(&lock);
  }
  BOUND(os_unfair_lock_unlock)(&lock);
  over();
}
static void unfair(void) {
  BOUND(os_unfair_lock_lock)(&lock);
  CHECK(!BOUND(os_unfair_lock_trylock)(&lock));
  BOUND(os_unfair_lock_unlock)(&lock);
  CHECK(BOUND(os_unfair_lock_trylock)(&lock));
  BOUND(os_unfair_lock_unlock)(&lock);
  for (int i = 0; i < 2; i++) { // the holder is known from the second wait on, as of a mutex
    contends(NULL);
    const struct record *r = blocked(MT_CALL_lock_os_unfair_lock_lock, "os_unfair_lock_lock");
    if (r) CHECK(r->arg == (i ? other_id : 0) && more->end == (uint64_t)(uintptr_t)&lock);
  }
  contends(locks_in_cache);
  if (traced) CHECK(!next_blocked());
}

static void all(void) {
  inputs();
  connections();
  disk();
  several();
  events();
  times();
  words();
  unfair();
}

int main(void) {
  if (!getenv("MTRACE_STACKS")) all(); // before the first Metal call, nothing is recorded
  CHECK(MTLCreateSystemDefaultDevice() && mt_locks_on());
  traced = true;
  all();
  puts("ok");
  return 0;
}
