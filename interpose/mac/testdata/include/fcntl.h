// What Apple's header has beside POSIX. Rule, of xnu's bsd/kern/kern_descrip.c: F_GETPATH fills a buffer of MAXPATHLEN bytes with the path of an
// open file, and fails for what is none; F_FULLFSYNC and F_BARRIERFSYNC take no argument.
#include_next <fcntl.h>
#ifndef FAKE_FCNTL_H
#define FAKE_FCNTL_H
enum { F_GETPATH = 50, F_FULLFSYNC = 51, F_BARRIERFSYNC = 85 };
#define fcntl(...) mac_fcntl(__VA_ARGS__)
int mac_fcntl(int fd, int command, ...);
#endif
