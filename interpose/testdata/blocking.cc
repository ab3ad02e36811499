// A program whose main thread blocks outside of Metal in every way there is. It prints, for each wait that must be
// recorded and in their order: the call, the kind of descriptor, the process at the other end (0 if unknown), whether
// the call timed out, and the name of a file. Calls between them do not block and must not be recorded.
#include <atomic>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <signal.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <time.h>
#include <unistd.h>

#include "waiting.h"

extern "C" void *MTLCreateSystemDefaultDevice(void);

static long self() { return syscall(SYS_gettid); }
static void say(const char *call, const char *kind, long by, bool failed, const char *name = "") {
  printf("%s %s %ld %d %s\n", call, kind, by, failed, name);
}
static void check(bool right, const char *what) {
  if (right) return;
  fprintf(stderr, "%s\n", what);
  exit(3);
}

// write_when_asleep writes a byte when the thread of another process sleeps, and returns the process that does.
static pid_t write_when_asleep(int fd, const char *bytes) {
  long waiting = self();
  pid_t child = fork();
  if (child != 0) return child;
  char path[64], state = 0;
  snprintf(path, sizeof path, "/proc/%ld/stat", waiting);
  for (int slept = 0; slept < 10; usleep(1000)) {
    FILE *stat = fopen(path, "r");
    if (!stat || fscanf(stat, "%*d (%*[^)]) %c", &state) != 1) _exit(2);
    fclose(stat);
    slept = state == 'S' ? slept + 1 : 0;
  }
  if (write(fd, bytes, strlen(bytes)) < 0) _exit(1);
  _exit(0);
}

static void ends(pid_t child) {
  int status;
  while (waitid(P_PID, (id_t)child, nullptr, WEXITED | WNOWAIT | WNOHANG) == 0 && kill(child, 0) == 0) {
    if (waitpid(child, &status, WNOHANG) == child) return;
  }
}

static void own_thread(int fd, const void *bytes, size_t size, const std::function<void()> &waits) {
  long waiting = self();
  std::thread other([=] {
    until_it_waits(waiting);
    check(write(fd, bytes, size) == (ssize_t)size, "write");
  });
  waits();
  other.detach();
}

int main(int argc, char **) {
  if (argc < 2) check(MTLCreateSystemDefaultDevice(), "no device");
  char byte[16] = "";
  int from_child[2], own[2], pair[2];
  check(pipe(own) == 0 && pipe(from_child) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "descriptors");

  // a pipe of the process's own, and a byte that is already there
  own_thread(own[1], "x", 1, [&] { check(read(own[0], byte, 1) == 1, "read"); });
  say("read", "own_pipe", 0, false);
  check(write(own[1], "x", 1) == 1 && read(own[0], byte, 1) == 1, "a byte that was there");

  // a pipe of which a child has the other end
  pid_t child = write_when_asleep(from_child[1], "x\n");
  close(from_child[1]);
  struct pollfd one = {from_child[0], POLLIN, 0};
  check(poll(&one, 1, -1) == 1, "poll");
  say("poll", "pipe", 0, false);
  FILE *stream = fdopen(from_child[0], "r");
  check(fgets(byte, sizeof byte, stream), "fgets of what was there");
  ends(child);

  // sockets of which the process made both ends
  own_thread(pair[1], "x", 1, [&] { check(recv(pair[0], byte, 1, 0) == 1, "recv"); });
  say("recv", "pair", 0, false);

  // an event, by epoll
  int event = eventfd(0, 0), epoll = epoll_create1(0);
  struct epoll_event wanted = {EPOLLIN, {.u64 = 0x1234567890}}, got;
  check(epoll_ctl(epoll, EPOLL_CTL_ADD, event, &wanted) == 0, "epoll_ctl");
  uint64_t count = 1;
  own_thread(event, &count, sizeof count, [&] { check(epoll_wait(epoll, &got, 1, -1) == 1, "epoll_wait"); });
  say("epoll_wait", "event", 0, false);
  check(epoll_wait(epoll, &got, 1, 0) == 1, "an event that is there");

  // times
  check(poll(&one, 0, 2) == 0, "a timeout");
  say("poll", "timeout", 0, true);
  struct timeval time = {0, 2000};
  check(select(0, nullptr, nullptr, nullptr, &time) == 0, "select");
  say("select", "timeout", 0, true);
  struct timespec nap = {0, 2000000};
  nanosleep(&nap, nullptr);
  say("nanosleep", "none", 0, false, "in main");
  clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, nullptr);
  say("clock_nanosleep", "none", 0, false, "in main");
  usleep(2000);
  say("usleep", "none", 0, false, "in main");

  // a FIFO is a pipe as well; a line of a child's, by the C library's own buffer
  int lines[2];
  check(pipe(lines) == 0, "pipe");
  child = write_when_asleep(lines[1], "one\ntwo\n");
  close(lines[1]);
  FILE *text = fdopen(lines[0], "r");
  char line[16];
  check(fgets(line, sizeof line, text), "fgets");
  say("fgets", "pipe", 0, false);
  check(fgets(line, sizeof line, text), "fgets of what is in the buffer");
  ends(child);

  // threads of the process's own
  std::thread sleeper([waiting = self()] { until_it_waits(waiting); });
  sleeper.join();
  say("pthread_join", "none", 0, false, "in _ZNSt6thread4joinEv");

  // barriers and futexes: who came last, and who woke
  static pthread_barrier_t barrier;
  static std::atomic<long> by;
  static std::atomic<int> word{0};
  pthread_barrier_init(&barrier, nullptr, 2);
  for (int round = 0; round < 2; round++) {
    std::thread last([waiting = self(), round] {
      until_it_waits(waiting);
      by = self();
      pthread_barrier_wait(&barrier);
    });
    pthread_barrier_wait(&barrier);
    say("pthread_barrier_wait", "signal", by, false);
    last.detach();
  }
  std::thread waker([waiting = self()] {
    until_it_waits(waiting);
    by = self();
    word = 1;
    word.notify_one();
  });
  word.wait(0);
  say("futex", "signal", by, false);
  waker.detach();
  fflush(stdout);
  return 0;
}
