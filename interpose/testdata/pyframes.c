// A library for tests to load into a Python: what python.c sees from inside a call, as text, without a tracer around it. It has a
// region and rings of its own, in ordinary memory, and reads back the texts that were sent.
#include "stacks/python.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "core/clock.h"
#include "core/room.h"
#include "core/text.h"

#define EXPORT __attribute__((visibility("default")))
enum { MOST = 64 };

struct region *mt_region;
uint32_t mt_clock_kind = MT_CLOCK_NANOSECONDS;
#ifdef __linux__
mt_clock_reader mt_clock_gettime = clock_gettime;
#endif
void mt_doorbell_ring(void) {}
bool mt_room_wait(const _Atomic uint64_t *tail, uint64_t wanted, uint64_t *stuck) { return false; }

static _Thread_local struct thread mine;
static _Thread_local struct { uint64_t name; char text[MT_MAX_FACT_TEXT + 1]; } texts[256];

static struct thread *thread(void) {
  static _Atomic int rings;
  if (!mine.ring) mine.ring = &mt_region->rings[rings++ % MT_RING_COUNT];
  return &mine;
}

// Reads what was sent since the last time. One thread never sends more texts here than there is room for.
static void receive(struct ring *ring) {
  uint64_t tail = ring->facts_tail;
  while (tail < ring->facts_head) {
    struct { uint32_t size; uint16_t kind, aux; uint64_t key; uint32_t length, zero; } header;
    char bytes[sizeof header + MT_MAX_FACT_TEXT];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = ring->facts[(tail + i) & (MT_FACTS_PER_RING - 1)];
    memcpy(&header, bytes, sizeof header);
    for (int i = 0; i < 256; i++) {
      if (texts[i].name && texts[i].name != header.key) continue;
      texts[i].name = header.key;
      memcpy(texts[i].text, bytes + sizeof header, header.length);
      texts[i].text[header.length] = 0;
      break;
    }
    tail += header.size;
  }
  ring->facts_tail = tail;
}

static const char *text_of(uint64_t name) {
  for (int i = 0; i < 256 && texts[i].name; i++)
    if (texts[i].name == name) return texts[i].text;
  return "";
}

// Forgets the texts read so far, for programs that have more of them than this remembers.
EXPORT void forget(void) {
  memset(texts, 0, sizeof texts);
  mine.python_known = false;
  memset(mine.sent, 0, sizeof mine.sent);
}

// Writes the calling thread's frames, "function\tfile\tline\n" each, and returns how many there are.
EXPORT int capture(char *to, size_t size, int most) {
  struct mt_python_frame frames[MOST];
  errno = 77;
  int n = mt_python_frames(thread(), frames, most < MOST ? most : MOST);
  if (errno != 77) abort();
  receive(mine.ring);
  size_t used = 0;
  if (size) to[0] = 0;
  for (int i = 0; i < n && used < size; i++) used += snprintf(to + used, size - used, "%s\t%s\t%u\n", text_of(frames[i].function), text_of(frames[i].file), frames[i].line);
  return n;
}

EXPORT int held(void) { return mt_python_lock_held(); }
EXPORT const char *unknown(void) { return mt_python_unknown() ? mt_python_unknown() : ""; }

// Nanoseconds of one capture of the calling thread's frames, and of one question about the lock.
EXPORT double cost(int times, int most) {
  struct mt_python_frame frames[MOST];
  uint64_t begin = mt_nanos();
  for (int i = 0; i < times; i++) mt_python_frames(thread(), frames, most);
  return (double)(mt_nanos() - begin) / times;
}
EXPORT double lock_cost(int times) {
  volatile int sum = 0;
  uint64_t begin = mt_nanos();
  for (int i = 0; i < times; i++) sum += mt_python_lock_held();
  return (double)(mt_nanos() - begin) / times;
}

// Calls back, from C.
EXPORT int call(int (*back)(int), int with) { return back(with); }

// Calls back from a thread of C's own, which has no frames before.
struct job { int (*back)(int); int with, before, after, result; };
static void *work(void *argument) {
  struct job *job = argument;
  char none[1];
  job->before = capture(none, 0, MOST) + 10 * held();
  if (job->back) job->result = job->back(job->with);
  job->after = capture(none, 0, MOST) + 10 * held();
  return NULL;
}
EXPORT int call_on_thread(int (*back)(int), int with) {
  struct job job = {.back = back, .with = with};
  pthread_t thread;
  pthread_create(&thread, NULL, work, &job);
  pthread_join(thread, NULL);
  return job.before || job.after ? -1 : job.result;
}

// Captures for as long as the process lives.
EXPORT void forever(void) {
  struct mt_python_frame frames[MOST];
  for (;;) mt_python_frames(thread(), frames, MOST);
}

__attribute__((constructor)) static void start(void) {
  char *memory = mmap(NULL, sizeof *mt_region + MT_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  mt_region = (struct region *)(memory + MT_PAGE_SIZE - (uintptr_t)memory % MT_PAGE_SIZE);
  mt_python_find();
}
