// A program whose main thread blocks outside of Metal in every way there is. It prints, for each wait that must be
// recorded and in their order: the call, the kind of descriptor, the process at the other end (0 if unknown), whether
// the call timed out, and the name of a file. Calls between them do not block and must not be recorded.
#include <atomic>
#include <barrier>
#include <chrono>
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
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

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

// disk waits for the disk, which may be fast: it prints how many nanoseconds each call took at most.
static int disk(const char *path) {
  using clock = std::chrono::steady_clock;
  int file = open(path, O_RDWR | O_CREAT, 0600);
  std::vector<char> bytes(8 << 20, 'x');
  for (auto sync : {fsync, fdatasync}) {
    check(write(file, bytes.data(), bytes.size()) == (ssize_t)bytes.size(), "write");
    auto begin = clock::now();
    check(sync(file) == 0, "fsync");
    long nanos = std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - begin).count();
    printf("%s %ld\n", sync == fsync ? "fsync" : "fdatasync", nanos);
  }
  return 0;
}

// full_socket is a local socket to which nobody can connect before accept is called.
static int full_socket(const struct sockaddr_un *name) {
  int listener = socket(AF_UNIX, SOCK_STREAM, 0), first = socket(AF_UNIX, SOCK_STREAM, 0);
  const struct sockaddr *address = reinterpret_cast<const struct sockaddr *>(name);
  check(bind(listener, address, sizeof *name) == 0 && listen(listener, 0) == 0, "listen");
  check(connect(first, address, sizeof *name) == 0, "the first connection");
  return listener;
}

int main(int argc, char **argv) {
  if (argc == 3) return MTLCreateSystemDefaultDevice() ? disk(argv[2]) : 3;
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

  // a socket whose buffer is full
  static char block[4096];
  // by the system call: of so many calls one may be preempted for as long as a wait
  while (syscall(SYS_sendto, pair[0], block, sizeof block, MSG_DONTWAIT, nullptr, 0) > 0) continue;
  std::thread reader([waiting = self(), fd = pair[1]] {
    until_it_waits(waiting);
    while (recv(fd, block, sizeof block, MSG_DONTWAIT) > 0) continue;
  });
  check(sendto(pair[0], "x", 1, 0, nullptr, 0) == 1, "sendto");
  say("sendto", "pair", 0, false);
  reader.detach();

  // a socket whose queue of connections is full
  struct sockaddr_un name = {AF_UNIX, ""};
  snprintf(name.sun_path, sizeof name.sun_path, "/tmp/blocking.%d", (int)getpid());
  int listener = full_socket(&name), second = socket(AF_UNIX, SOCK_STREAM, 0);
  std::thread accepter([waiting = self(), listener] {
    until_it_waits(waiting);
    check(accept(listener, nullptr, nullptr) >= 0, "accept");
  });
  check(connect(second, reinterpret_cast<struct sockaddr *>(&name), sizeof name) == 0, "connect");
  say("connect", "socket", 0, false, name.sun_path);
  accepter.detach();
  unlink(name.sun_path);

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
