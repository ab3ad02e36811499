// drainer_darwin.c: when Go starts, and what the program sees of it: handlers, masks and limits stay as they were. threadtimes_darwin.c: what is
// told of the threads, and that what the kernel gave is given back.
#include <dirent.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include "top/drainer.h"
#include "top/threadtimes.h"
#include "check.h"
#include "fakes.h"

static void own(int signal) { (void)signal; }

// The thread of that name, or 0; and how many there are.
static int threads(const char *name, long *thread) {
  int count = 0;
  DIR *tasks = opendir("/proc/self/task");
  for (struct dirent *d; (d = readdir(tasks));) {
    char path[300], text[32] = "";
    if (d->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", d->d_name);
    FILE *file = fopen(path, "r");
    if (file && fgets(text, sizeof text, file) && strncmp(text, name, strlen(name)) == 0) *thread = atol(d->d_name);
    if (file) fclose(file);
    count++;
  }
  closedir(tasks);
  return count;
}

static unsigned long long blocked_by(long thread) {
  char path[64], line[256];
  unsigned long long mask = 0;
  snprintf(path, sizeof path, "/proc/self/task/%ld/status", thread);
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) sscanf(line, "SigBlk: %llx", &mask);
  if (file) fclose(file);
  return mask;
}

// What a program of some character has set for itself.
static struct sigaction before[32];
static void set_up(void) {
  struct sigaction action = {.sa_handler = own, .sa_flags = SA_RESTART | SA_NODEFER};
  sigaddset(&action.sa_mask, SIGUSR2);
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  CHECK(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
  for (int s = 1; s < 32; s++)
    if (s != SIGKILL && s != SIGSTOP) CHECK(sigaction(s, NULL, &before[s]) == 0);
  sigset_t mine;
  sigemptyset(&mine), sigaddset(&mine, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &mine, NULL);
}

static void is_as_it_was(bool handlers) {
  for (int s = 1; handlers && s < 32; s++) {
    struct sigaction now;
    if (s == SIGKILL || s == SIGSTOP) continue;
    CHECK(sigaction(s, NULL, &now) == 0);
    bool same = now.sa_handler == before[s].sa_handler && now.sa_flags == before[s].sa_flags;
    // Without a handler the mask says nothing, and the thread sanitizer fills it.
    if (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN) same = same && memcmp(&now.sa_mask, &before[s].sa_mask, sizeof now.sa_mask) == 0;
    if (!same) fprintf(stderr, "signal %d: flags %#x, not %#x\n", s, (unsigned)now.sa_flags, (unsigned)before[s].sa_flags);
    CHECK(same);
  }
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  for (int s = 1; s < 32; s++) CHECK(sigismember(&mask, s) == (s == SIGTERM));
}

static bool limit_is(rlim_t files) {
  struct rlimit now;
  return getrlimit(RLIMIT_NOFILE, &now) == 0 && now.rlim_cur == files;
}

static void drained(void) {
  struct thread *t = mt_thread();
  CHECK(t);
  while (atomic_load(&t->ring->tail) != t->head || atomic_load(&t->ring->facts_tail) != atomic_load(&t->ring->facts_head)) pause_ms(1);
}

// The rows of the last frame of thread times, and its row of a thread.
struct row {
  uint64_t thread;
  int64_t at, ran, waited;
};
static int rows(uint64_t thread, struct row *found) {
  static struct row row[MT_RING_COUNT + 2];
  size_t length = mac_sent(MT_FRAME_THREAD_TIMES, row, sizeof row);
  CHECK(length % sizeof *row == 0);
  for (size_t i = 0; i < length / sizeof *row; i++)
    if (row[i].thread == thread) *found = row[i];
  return (int)(length / sizeof *row);
}

static _Atomic bool leave;
static void *records(void *thread) {
  CHECK(MTLCreateSystemDefaultDevice());
  *(_Atomic uint64_t *)thread = mt_thread_id();
  while (!leave) pause_ms(1);
  return NULL;
}
static void *idles(void *nothing) {
  while (!leave) pause_ms(1);
  return nothing;
}

static void thread_times(void) {
  _Atomic uint64_t known = 0;
  pthread_t one, two;
  struct row process = {.at = -1}, mine = process, other = process, machine = process;
  CHECK(pthread_create(&one, NULL, records, (void *)&known) == 0 && pthread_create(&two, NULL, idles, NULL) == 0);
  while (!known) pause_ms(1);
  for (volatile long i = 0; i < 20000000; i++) { }
  CHECK(mt_thread_times_send());
  CHECK(rows(0, &process) == 4 && rows(mt_thread_id(), &mine) == 4 && rows(known, &other) == 4); // neither the idle thread nor the drainer has a ring
  CHECK(mine.ran > 1000000 && other.ran < mine.ran && process.ran + 1000000 >= mine.ran && mine.waited == MT_THREAD_TIME_WAIT_NOT_KNOWN);
  CHECK(process.at > 0 && process.at <= mine.at + 1000000000 && process.waited == MT_THREAD_TIME_WAIT_NOT_KNOWN);
  CHECK(rows(MT_THREAD_TIME_WHOLE_MACHINE, &machine) == 4 && machine.ran == 40000005060000000 && machine.waited == MT_THREAD_TIME_WAIT_NOT_KNOWN);
  CHECK(machine.at >= process.at);
  mac_mach.vanished = known; // it ended between the list and the question
  CHECK(mt_thread_times_send() && rows(0, &process) == 3 && rows(mt_thread_id(), &mine) == 3);
  mac_mach.vanished = 0;
  mac_mach.refused_flavor = 3;
  CHECK(mt_thread_times_send() && rows(0, &process) == 2);
  mac_mach.refuse_host = true;
  CHECK(mt_thread_times_send() && rows(0, &process) == 1);
  mac_mach.refuse_host = false;
  mac_mach.refused_flavor = 0;
  mac_mach.refuse = true;
  unsigned sent = mac_sent_count(MT_FRAME_THREAD_TIMES);
  CHECK(mt_thread_times_send() && mac_sent_count(MT_FRAME_THREAD_TIMES) == sent); // nothing to say is no reason to end
  mac_mach.refuse = false;
  CHECK(mac_mach.ports == 0 && mac_mach.pages == 0);
  leave = true;
  pthread_join(one, NULL), pthread_join(two, NULL);
}

int main(int argc, char **argv) {
  bool at_load = getenv("MAC_GO_AT_LOAD") != NULL, little_memory = argc > 1 && strcmp(argv[1], "memory") == 0;
  struct rlimit files, memory = {(rlim_t)1 << 62, RLIM_INFINITY}; // that there is one is enough
  long drainer = 0;
  set_up();
  CHECK(getrlimit(RLIMIT_NOFILE, &files) == 0);
  if (!at_load) {
    CHECK(mac_go_started == 0);
    files.rlim_cur = 200;
    CHECK(setrlimit(RLIMIT_NOFILE, &files) == 0);
  }
  CHECK(mac_go_started == at_load);
  if (little_memory) CHECK(setrlimit(RLIMIT_AS, &memory) == 0);
  CHECK(MTLCreateSystemDefaultDevice() && mt_locks_on());
  is_as_it_was(true);
  CHECK(mac_go_started == !little_memory);
  if (little_memory) {
    CHECK(limit_is(200) && threads("mtrace", &drainer) > 0 && drainer == 0);
    puts("ok");
    return 0;
  }
  drained();
  // Only then the drainer has put the limit back, which Go raised, and hidden itself from signals.
  CHECK(at_load || limit_is(200));
  threads("mtrace", &drainer);
  CHECK(drainer != 0 && drainer != (long)mt_thread_id());
  for (int s = 1; s < 32; s++)
    if (s != SIGKILL && s != SIGSTOP) CHECK(blocked_by(drainer) >> (s - 1) & 1);
  is_as_it_was(true);
  thread_times();
  puts("ok");
  return 0;
}
