// See descriptor.h.
#include "waits/descriptor.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "waits/descriptorfacts.h"

// The pipes that the process has waited for, indexed by the lowest bits of the inode; a pipe whose entry was
// overwritten is looked up again. The bit OWN of an entry is set if the process itself can write into the pipe.
enum { SEEN_PIPES = 256, MOST_DESCRIPTORS = 1024 };
static const uint64_t OWN = UINT64_C(1) << 63;
static _Atomic uint64_t seen_pipes[SEEN_PIPES];

static void record_writer(struct thread *t, uint64_t inode, uint64_t at) {
  struct record r = {.begin = at, .end = at, .arg = inode, .call = MT_CALL_tracer_pipe_writer};
  mt_thread_publish(t, &r, 1);
}

// Finds all pipes that this process can write into, and records each. Returns whether the pipe with this inode is one
// of them. That takes many system calls, so it is done only once for each pipe.
static bool can_write(struct thread *t, uint64_t inode, uint64_t at) {
  bool own = false;
  for (int fd = 0; fd < MOST_DESCRIPTORS; fd++) {
    int flags = fcntl(fd, F_GETFL);
    struct stat s;
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || fstat(fd, &s) != 0 || !S_ISFIFO(s.st_mode)) continue;
    uint64_t pipe = mt_fact_pipe(fd, &s);
    if (!pipe) continue;
    own = own || pipe == inode;
    record_writer(t, pipe, at);
  }
  return own;
}

static uint32_t pipe_kind(struct thread *t, int fd, uint64_t inode, uint64_t at) {
  _Atomic uint64_t *seen = &seen_pipes[inode % SEEN_PIPES];
  uint64_t known = atomic_load_explicit(seen, memory_order_relaxed);
  if ((known & ~OWN) != inode) {
    known = inode | (can_write(t, inode, at) ? OWN : 0);
    atomic_store_explicit(seen, known, memory_order_relaxed);
  }
  if (fd == STDIN_FILENO) return MT_DESCRIPTOR_STANDARD;
  return known & OWN ? MT_DESCRIPTOR_OWN_PIPE : MT_DESCRIPTOR_PIPE;
}

struct address {
  char host[INET6_ADDRSTRLEN];
  unsigned port;
};

static bool address_of(const struct sockaddr_storage *from, struct address *a) {
  if (from->ss_family == AF_INET) {
    const struct sockaddr_in *in = (const struct sockaddr_in *)from;
    a->port = ntohs(in->sin_port);
    return inet_ntop(AF_INET, &in->sin_addr, a->host, sizeof a->host) != NULL;
  }
  if (from->ss_family != AF_INET6) return false;
  const struct sockaddr_in6 *in = (const struct sockaddr_in6 *)from;
  a->port = ntohs(in->sin6_port);
  return inet_ntop(AF_INET6, &in->sin6_addr, a->host, sizeof a->host) != NULL;
}

// Names a network connection by the server's end, which is the same for all its clients. The server's port is the
// lower one: systems assign high ports to clients, a different one for each connection.
static void name_network(const struct sockaddr_storage *own, int fd, struct mt_descriptor *d) {
  struct sockaddr_storage other;
  socklen_t size = sizeof other;
  struct address here, there;
  if (!address_of(own, &here)) return;
  bool connected = getpeername(fd, (struct sockaddr *)&other, &size) == 0 && address_of(&other, &there);
  if (connected && there.port < here.port) snprintf(d->name, sizeof d->name, "%s:%u", there.host, there.port);
  else snprintf(d->name, sizeof d->name, "port %u", here.port);
}

static const char *path_in(const struct sockaddr_storage *a, socklen_t size) {
  const struct sockaddr_un *un = (const struct sockaddr_un *)a;
  const char *path = un->sun_path;
  if (size <= offsetof(struct sockaddr_un, sun_path)) return "";
  return path[0] ? path : path + 1; // Linux's abstract names begin with a zero byte
}

static void describe_socket(int fd, struct mt_descriptor *d) {
  struct sockaddr_storage own = {0}, other = {0};
  socklen_t size = sizeof own, other_size = sizeof other;
  d->kind = MT_DESCRIPTOR_NETWORK;
  if (getsockname(fd, (struct sockaddr *)&own, &size) != 0) return;
  if (own.ss_family != AF_UNIX) {
    name_network(&own, fd, d);
    return;
  }
  const char *path = path_in(&own, size);
  bool connected = getpeername(fd, (struct sockaddr *)&other, &other_size) == 0;
  if (!*path && connected) path = path_in(&other, other_size);
  snprintf(d->name, sizeof d->name, "%.*s", (int)(sizeof own - offsetof(struct sockaddr_un, sun_path) - 1), path);
  d->kind = *path || !connected ? MT_DESCRIPTOR_SOCKET : MT_DESCRIPTOR_PAIR;
  // for a pair of sockets created before a fork, both ends report the creator as their peer; if that is this process,
  // the real peer is unknown
  if (connected) d->process = mt_fact_peer(fd);
  if (d->process == (uint64_t)getpid()) d->process = 0;
}

void mt_descriptor_of(struct thread *t, int fd, uint64_t at, struct mt_descriptor *d) {
  struct stat s;
  *d = (struct mt_descriptor){.kind = MT_DESCRIPTOR_UNKNOWN};
  if (fd < 0 || fstat(fd, &s) != 0) return;
  switch (s.st_mode & S_IFMT) {
  case S_IFREG:
  case S_IFDIR:
    d->kind = MT_DESCRIPTOR_FILE;
    mt_fact_path(fd, d->name, sizeof d->name);
    return;
  case S_IFIFO:
    d->inode = mt_fact_pipe(fd, &s);
    d->kind = d->inode ? pipe_kind(t, fd, d->inode, at) : mt_fact_other(fd);
    return;
  case S_IFSOCK: describe_socket(fd, d); return;
  case S_IFCHR:
    d->kind = isatty(fd) ? MT_DESCRIPTOR_TERMINAL : MT_DESCRIPTOR_DEVICE;
    mt_fact_path(fd, d->name, sizeof d->name);
    return;
  default: d->kind = mt_fact_other(fd);
  }
}
