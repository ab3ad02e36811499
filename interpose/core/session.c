// Frames as collector/wire/frame.go describes them: magic u32, kind u16, ring u16, length u32, zero u32, position u64,
// payload.
#include "core/session.h"
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <fcntl.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include "core/children.h"
#include "core/clock.h"
#include "system/descriptor.h"
#include "core/hello.h"
#include "core/fact.h"
#include "wire.h"
#include "system/own.h"

// The maximum time for which a thread of the program waits for a live collector: for one step of sending, and for a
// connection when the listener's backlog is full.
enum { PATIENCE_MILLISECONDS = 500, CONNECT_PATIENCE_MILLISECONDS = 5000 };

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 // macOS has SO_NOSIGPIPE instead
#endif

static int fd = -1;
static dev_t device;
static ino_t inode;
static _Atomic bool gone; // nothing can be sent any more
static _Atomic bool over; // no process reads the rings (the threads' buffers of records) any more
static bool absent;       // there is no collector, or it refuses this process
static struct sockaddr_un address;
static unsigned char token[MT_TOKEN_SIZE]; // proves to the collector that its own mtrace started this program
static bool has_token;

struct frame_header {
  uint32_t magic;
  uint16_t kind, ring;
  uint32_t length, zero;
  uint64_t position;
};
_Static_assert(sizeof(struct frame_header) == MT_FRAME_HEADER_SIZE, "frame header");

bool mt_session_alive(void) {
  struct stat now;
  return fd >= 0 && fstat(fd, &now) == 0 && S_ISSOCK(now.st_mode) && now.st_dev == device && now.st_ino == inode;
}

// The state of a lock on a file next to the collector's socket. The collector holds the lock as long as it lives. The
// kernel releases it when the collector ends, even by a crash; so a free lock proves that no collector exists.
enum lock { LOCK_FREE, LOCK_HELD, LOCK_UNKNOWN };

static enum lock lock_of_collector(void) {
  char path[sizeof address.sun_path + sizeof ".lock"];
  snprintf(path, sizeof path, "%s.lock", address.sun_path);
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return errno == ENOENT || errno == ENOTDIR ? LOCK_FREE : LOCK_UNKNOWN;
  enum lock state = flock(file, LOCK_SH | LOCK_NB) == 0 ? LOCK_FREE : errno == EWOULDBLOCK ? LOCK_HELD : LOCK_UNKNOWN;
  close(file);
  return state;
}

bool mt_session_over(void) {
  if (atomic_load_explicit(&over, memory_order_relaxed)) return true;
  if (mt_session_alive()) {
    char byte;
    // the collector never sends data: this read either finds nothing, and the connection is open, or the end of the
    // connection
    ssize_t n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))) return false;
  } else if (lock_of_collector() != LOCK_FREE) {
    return false; // the program closed the connection; the collector reads the rings all the same
  }
  atomic_store_explicit(&over, true, memory_order_relaxed);
  return true;
}

void mt_session_forget(void) {
  if (mt_session_alive()) close(fd);
  fd = -1;
}

// On Linux, make the system call directly: a program built with the thread sanitizer has the sanitizer's sendmsg. It
// does not see how accesses to the rings (the threads' buffers of records in shared memory) are ordered, and would
// report data races.
#ifdef __linux__
static ssize_t send_message(const struct msghdr *message, int flags) { return syscall(SYS_sendmsg, fd, message, flags);
    }
#else
static ssize_t send_message(const struct msghdr *message, int flags) { return sendmsg(fd, message, flags); }
#endif

// Sends a whole message. Each step waits at most patience milliseconds, without limit if patience is negative.
// Returns false if the message was not sent completely; the connection is then unusable.
static bool send_all(struct msghdr *message, size_t length, int patience) {
  while (length > 0) {
    ssize_t n = send_message(message, MSG_NOSIGNAL | (patience >= 0 ? MSG_DONTWAIT : 0));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && patience >= 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS)) {
      struct pollfd writable = {.fd = fd, .events = POLLOUT};
      if (mt_own_poll(&writable, patience) > 0) continue;
    }
    if (n < 0) {
      atomic_store_explicit(&gone, true, memory_order_relaxed);
      return false;
    }
    length -= (size_t)n;
    message->msg_control = NULL; // a descriptor is sent with the first byte
    message->msg_controllen = 0;
    for (size_t rest = (size_t)n; rest > 0;) {
      size_t step = rest < message->msg_iov->iov_len ? rest : message->msg_iov->iov_len;
      message->msg_iov->iov_base = (char *)message->msg_iov->iov_base + step;
      message->msg_iov->iov_len -= step;
      rest -= step;
      if (message->msg_iov->iov_len == 0 && message->msg_iovlen > 1) message->msg_iov++, message->msg_iovlen--;
    }
  }
  return true;
}

static bool send_frame(const struct frame_header *header, const void *a, size_t a_length, const void *b,
    size_t b_length, int passed, int patience) {
  struct iovec pieces[3] = {{(void *)header, sizeof *header}, {(void *)a, a_length}, {(void *)b, b_length}};
  struct msghdr message = {.msg_iov = pieces, .msg_iovlen = b_length ? 3 : a_length ? 2 : 1};
  union {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control;
  if (passed >= 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &passed, sizeof passed);
  }
  return send_all(&message, sizeof *header + a_length + b_length, patience);
}

static struct frame_header frame_of(unsigned kind, unsigned ring, uint64_t position, size_t length) {
  return (struct frame_header){MT_FRAME_MAGIC, (uint16_t)kind, (uint16_t)ring, (uint32_t)length, 0, position};
}

bool mt_session_send(unsigned kind, unsigned ring, uint64_t position, const void *a, size_t a_length, const void *b,
    size_t b_length) {
  if (atomic_load_explicit(&gone, memory_order_relaxed)) return false;
  if (!mt_session_alive()) {
    atomic_store_explicit(&gone, true, memory_order_relaxed);
    return false;
  }
  struct frame_header header = frame_of(kind, ring, position, a_length + b_length);
  return send_frame(&header, a, a_length, b, b_length, -1, -1);
}

bool mt_session_send_region(int region) {
  struct frame_header header = frame_of(MT_FRAME_RINGS, 0, 0, 0);
  return send_frame(&header, NULL, 0, NULL, 0, region, PATIENCE_MILLISECONDS);
}

bool mt_session_facts(const void *facts, size_t length) {
  struct frame_header header = frame_of(MT_FRAME_PROCESS_FACTS, 0, 0, length);
  return send_frame(&header, facts, length, NULL, 0, -1, PATIENCE_MILLISECONDS);
}

bool mt_session_warn(unsigned key, const char *text) {
  char fact[MT_LONGEST_WARNING + 32];
  return mt_session_alive() && mt_session_facts(fact, mt_fact_put(fact, 0, sizeof fact, MT_FACT_WARNING, key, text,
      strnlen(text, MT_LONGEST_WARNING)));
}

// Stores a message for the collector as the text of a symbolic link next to its socket. Returns true if the link
// exists.
static bool leave_word(const char *text) {
  char name[sizeof address.sun_path + 40], word[1024], program[1024 - MT_LONGEST_WARNING - 2];
  if (lock_of_collector() == LOCK_FREE) return false; // the collector has ended, or its folder is not visible from here
  mt_hello_program(program, sizeof program);
  snprintf(word, sizeof word, "%s\n%.*s", program, MT_LONGEST_WARNING, text);
  for (int i = 0; i < 10; i++) { // a program that this process executed earlier may have left a message
    snprintf(name, sizeof name, "%s.word.%d.%d", address.sun_path, (int)getpid(), i);
    if (symlink(word, name) == 0) return true;
    if (errno != EEXIST) break;
  }
  return false;
}

void mt_session_warn_surely(unsigned key, const char *text) {
  if (mt_session_warn(key, text) || leave_word(text)) return;
  mt_children_note(0);
}

// Connects to the collector; returns false on failure. With a full backlog a blocking connect could block
// indefinitely, so the socket does not block and the connect is retried for CONNECT_PATIENCE_MILLISECONDS. macOS
// reports a full backlog like a missing listener (ECONNREFUSED); there the collector's lock shows whether it exists.
static bool connect_patiently(void) {
  int waited = 0;
  for (int pause = 1;; pause = pause < 8 ? 2 * pause : 10) {
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) return true;
    if (errno == EINTR) continue;
    // the program's seccomp filter forbids the connection. The collector does exist, so absent stays false: at the
    // first Metal call this process reports that it is not traced
    bool refused_to_us = errno == EPERM;
    bool full = errno == EAGAIN || (errno == ECONNREFUSED && lock_of_collector() == LOCK_HELD);
    absent = !full && !refused_to_us;
    if (!full || waited >= CONNECT_PATIENCE_MILLISECONDS) return false;
    mt_own_nanosleep(&(struct timespec){0, pause * 1000000L}, NULL);
    waited += pause;
  }
}

static int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

// Reads the token, in hexadecimal digits. An incomplete token is not sent; the collector then refuses the connection.
static void read_token(const char *text) {
  has_token = text && strlen(text) == 2 * sizeof token;
  for (size_t i = 0; has_token && i < sizeof token; i++) {
    int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
    has_token = high >= 0 && low >= 0;
    if (has_token) token[i] = (unsigned char)(high << 4 | low);
  }
}

// Sends the token as the first message, with nothing else in it. The collector's first read accepts only the token: a
// descriptor sent together with it would be lost.
static bool send_token(void) {
  if (!has_token) return true;
  struct frame_header header = frame_of(MT_FRAME_TOKEN, 0, 0, sizeof token);
  return send_frame(&header, token, sizeof token, NULL, 0, -1, PATIENCE_MILLISECONDS);
}

static bool say_hello(void) {
  if (!send_token()) return false;
  size_t length;
  int page = mt_children_page();
  char *payload = mt_hello_make(&length, page >= 0);
  if (!payload) {
    if (page >= 0) close(page);
    return false;
  }
  struct frame_header header = frame_of(MT_FRAME_HELLO, 0, 0, length);
  bool sent = send_frame(&header, payload, length, NULL, 0, page, PATIENCE_MILLISECONDS);
  if (page >= 0) close(page);
  mt_hello_free(payload);
  return sent;
}

bool mt_session_reopen(void) {
  struct stat now;
  mt_session_forget();
  atomic_store_explicit(&gone, false, memory_order_relaxed);
  absent = false;
  fd = mt_descriptor_high(socket(AF_UNIX, SOCK_STREAM, 0));
  if (fd < 0) return false;
  int flags = fcntl(fd, F_GETFL);
  fcntl(fd, F_SETFL, flags | O_NONBLOCK);
#ifdef __APPLE__
  setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &(int){1}, sizeof(int));
  // macOS's default send buffer is 8 KiB (net.local.stream.sendspace). With it, the drainer (the tracer's thread that
  // sends records to the collector) would have to wait for the collector after every 256 records.
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &(int){1 << 18}, sizeof(int));
#endif
  if (!connect_patiently() || fcntl(fd, F_SETFL, flags) != 0 || fstat(fd, &now) != 0) {
    close(fd);
    fd = -1;
    return false;
  }
  device = now.st_dev;
  inode = now.st_ino;
  if (say_hello()) return true;
  mt_session_forget();
  return false;
}

bool mt_session_open(const char *path, const char *token_text) {
  if (strlen(path) >= sizeof address.sun_path) return false;
  read_token(token_text);
  address.sun_family = AF_UNIX;
  strcpy(address.sun_path, path);
  return mt_session_reopen() || !absent;
}
