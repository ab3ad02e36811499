// What Apple's header has beside POSIX. Rule, of xnu's bsd/kern/uipc_usrreq.c: the process at the other end of a local socket is an option of
// a level that no other system has.
#include_next <sys/un.h>
#ifndef FAKE_SYS_UN_H
#define FAKE_SYS_UN_H
#define SOL_LOCAL 0
#define LOCAL_PEERPID 2
#endif
