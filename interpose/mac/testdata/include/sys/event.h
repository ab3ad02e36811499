// What the library uses of Apple's header.
//
// Rule, of xnu's bsd/kern/kern_event.c: an event names what it was registered for; without room for events a call only changes the queue;
// without an event the call waits for its timeout, and returns 0 then.
#ifndef FAKE_SYS_EVENT_H
#define FAKE_SYS_EVENT_H
#include <stdint.h>
#include <time.h>

enum { EVFILT_READ = -1, EVFILT_WRITE = -2, EVFILT_PROC = -5, EVFILT_TIMER = -7, EVFILT_USER = -10 };
enum { EV_ADD = 1, NOTE_TRIGGER = 0x01000000 };

struct kevent {
  uintptr_t ident;
  int16_t filter;
  uint16_t flags;
  uint32_t fflags;
  intptr_t data;
  void *udata;
};
struct kevent64_s {
  uint64_t ident;
  int16_t filter;
  uint16_t flags;
  uint32_t fflags;
  int64_t data;
  uint64_t udata, ext[2];
};
int kqueue(void);
int kevent(int queue, const struct kevent *changes, int changed, struct kevent *events, int count, const struct timespec *time);
int kevent64(int queue, const struct kevent64_s *changes, int changed, struct kevent64_s *events, int count, unsigned flags,
             const struct timespec *time);
#endif
