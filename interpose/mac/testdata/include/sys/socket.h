// What Apple's header has otherwise. Rule, of xnu's bsd/kern/uipc_usrreq.c and uipc_socket.c: connect to a socket whose backlog is full is
// refused, as if nobody listened; the process at the other end is an option of sys/un.h; a socket with SO_NOSIGPIPE sends no signal, and there is no flag that says so for one message.
#include_next <sys/socket.h>
#ifndef FAKE_SYS_SOCKET_H
#define FAKE_SYS_SOCKET_H
#define SO_NOSIGPIPE 0x1022
#undef MSG_NOSIGNAL
#define setsockopt(fd, level, option, value, size) mac_setsockopt(fd, level, option, value, size)
#define connect(fd, address, size) mac_connect(fd, address, size)
#define sendmsg(fd, message, flags) mac_sendmsg(fd, message, flags)
#define getsockopt(fd, level, option, value, size) mac_getsockopt(fd, level, option, value, size)
int mac_getsockopt(int fd, int level, int option, void *value, socklen_t *size);
int mac_setsockopt(int fd, int level, int option, const void *value, socklen_t size);
int mac_connect(int fd, const struct sockaddr *address, socklen_t size);
ssize_t mac_sendmsg(int fd, const struct msghdr *message, int flags);
#endif
