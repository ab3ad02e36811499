// A thread writes records, and a reader consumes them after random numbers of records, or only when the ring (the thread's
// buffer) is full: is each record found where its position says, and how many of the ring's chunks does the thread use?
// Prints, for a reader that is quick, slower or late, how many chunks were used and how many records were dropped.
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "core/thread.c"

_Atomic int mt_state = MT_ACTIVE, mt_drainer_sleeps;
uint32_t mt_clock_kind = MT_CLOCK_NANOSECONDS;
#ifdef __linux__
mt_clock_reader mt_clock_gettime = clock_gettime;
#endif
struct region *mt_region;
static unsigned rung;
void mt_doorbell_ring(void) { rung++; }
void mt_doorbell_wake(void) {}
void mt_state_count_fork(void) {}
uint64_t mt_text(struct thread *t, const char *text, size_t length) { return (uint64_t)text[length] + t->index; }
bool mt_fact(struct thread *t, unsigned kind, unsigned aux, uint64_t key, const char *text, size_t length) {
  return t && kind + aux + key + length + (uintptr_t)text;
}
bool mt_room_wait(const _Atomic uint64_t *tail, uint64_t wanted, uint64_t *stuck) { return tail && wanted && !stuck; }
const struct mt_feature mt_features[1];
const unsigned mt_feature_count = 0;

static void fail(const char *what, uint64_t position) {
  printf("%s at position %llu\n", what, (unsigned long long)position);
  exit(1);
}

// Consumes up to most records, and checks that each holds its position. The first two are those of the thread's start.
static void consume(struct ring *ring, uint64_t most, const uint64_t *numbers) {
  uint64_t tail = atomic_load(&ring->tail), head = atomic_load(&ring->head);
  for (uint64_t end = head - tail < most ? head : tail + most; tail < end; tail++)
    if (tail > 1 && mt_ring_slot(ring, tail)->arg != numbers[tail]) fail("another record", tail);
  atomic_store(&ring->tail, tail);
}

int main(void) {
  enum { RECORDS = 6 * MT_RECORDS_PER_RING, LATEST = MT_CHUNK_RECORDS - 2 };
  static uint64_t numbers[RECORDS + 4];
  mt_region = mmap(NULL, sizeof *mt_region, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  mt_thread_start();
  for (int kind = 0; kind < 3; kind++) {
    uint64_t longest = (uint64_t[]){700, 5000, 2 * MT_RECORDS_PER_RING}[kind], dropped = 0;
    mt_thread_set(NULL);
    struct thread *t = mt_thread();
    uint64_t next_round = 1;
    srandom(1);
    while (t->head < RECORDS) {
      uint64_t head = t->head;
      unsigned n = 1 + (unsigned)random() % 2;
      struct record records[2] = {{.arg = numbers[head] = (uint64_t)random()}, {.arg = numbers[head + 1] = (uint64_t)random()}};
      mt_thread_publish(t, records, n);
      for (uint64_t i = head > LATEST ? head - LATEST : 2; i < head; i++) // as polls.c does
        if (mt_ring_slot(t->ring, i)->arg != numbers[i]) fail("the thread's own record differs", i);
      if (t->head == head) {
        dropped += n;
        if (atomic_load(&t->ring->head) - atomic_load(&t->ring->tail) < MT_RECORDS_PER_RING - MT_CHUNK_RECORDS) fail("dropped without need", head);
      }
      if (t->head == head || t->head >= next_round) {
        consume(t->ring, kind == 2 ? 1 + (uint64_t)random() % MT_RECORDS_PER_RING : UINT64_MAX, numbers);
        next_round = t->head + 1 + (uint64_t)random() % longest;
      }
    }
    if (dropped != atomic_load(&t->ring->dropped)) fail("the count of dropped records is wrong", dropped);
    printf("%u %d ", chunks[t->index].used, dropped > 0);
  }
  printf("%d\n", rung > 0);
  return 0;
}
