// See text.h.
#include "core/text.h"
#include <errno.h>
#include <string.h>
#include "core/fact.h"
#include "core/room.h"

static void put(struct ring *ring, uint64_t position, const void *bytes, size_t length) {
  size_t at = position & (MT_FACTS_PER_RING - 1), first = MT_FACTS_PER_RING - at;
  if (first > length) first = length;
  memcpy(ring->facts + at, bytes, first);
  memcpy(ring->facts, (const char *)bytes + first, length - first);
}

static bool wait_for_room(struct thread *t, uint64_t wanted) {
  int saved = errno;
  bool room = mt_room_wait(&t->ring->facts_tail, wanted, &t->facts_stuck);
  errno = saved;
  return room;
}

bool mt_fact(struct thread *t, unsigned kind, unsigned aux, uint64_t key, const char *text, size_t length) {
  static const char zeros[8];
  struct ring *ring = t->ring;
  if (length > MT_MAX_FACT_TEXT) length = MT_MAX_FACT_TEXT;
  uint64_t head = atomic_load_explicit(&ring->facts_head, memory_order_relaxed);
  uint64_t tail = atomic_load_explicit(&ring->facts_tail, memory_order_acquire);
  struct fact_header header = mt_fact_header(kind, aux, key, length);
  uint64_t used = head + header.size - tail;
  bool room = used <= MT_FACTS_PER_RING || wait_for_room(t, head + header.size - MT_FACTS_PER_RING);
  if (room) {
    bool outer = t->writing;
    mt_thread_write(t);
    put(ring, head, &header, MT_FACT_HEADER);
    put(ring, head + MT_FACT_HEADER, text, length);
    put(ring, head + MT_FACT_HEADER + length, zeros, header.size - MT_FACT_HEADER - length);
    atomic_store_explicit(&ring->facts_head, head + header.size, memory_order_release);
    atomic_signal_fence(memory_order_seq_cst);
    t->writing = outer;
  } else {
    atomic_store_explicit(&ring->facts_dropped, atomic_load_explicit(&ring->facts_dropped, memory_order_relaxed) + 1,
        memory_order_relaxed);
  }
  if (used > MT_FACTS_PER_RING / 4) {
    int saved = errno;
    mt_doorbell_ring();
    errno = saved;
  }
  return room;
}

uint64_t mt_text(struct thread *t, const char *text, size_t length) {
  if (length == 0) return 0;
  if (length > MT_MAX_FACT_TEXT) length = MT_MAX_FACT_TEXT;
  uint64_t name = mt_fnv(MT_FNV_START, text, length);
  if (name == 0) name = 1;
  uint64_t *sent = &t->sent[name % MT_SENT_TEXTS];
  if (*sent != name && mt_fact(t, MT_FACT_STRING, 0, name, text, length)) *sent = name;
  return name;
}
