// The drainer in C, in the place of the Go half: for sanitizers, which cannot look into Go. It enters by the same door.
#include "top/drainer.h"
#include "core/thread.h"

void __wrap_x_cgo_sys_thread_create(void *(*entry)(void *), void *argument);

static void drain_ring(struct ring *ring, unsigned index) {
  uint32_t nobody = MT_CLAIM_NOBODY;
  if (!atomic_compare_exchange_strong(&ring->claim, &nobody, MT_CLAIM_DRAINER)) return;
  uint64_t head = atomic_load_explicit(&ring->facts_head, memory_order_acquire), tail = atomic_load(&ring->facts_tail);
  size_t at = tail % MT_FACTS_PER_RING, first = MT_FACTS_PER_RING - at < head - tail ? MT_FACTS_PER_RING - at : head - tail;
  if (head != tail) mt_drainer_send(MT_FRAME_FACTS, index, tail, ring->facts + at, first, ring->facts, head - tail - first);
  atomic_store_explicit(&ring->facts_tail, head, memory_order_release);
  head = atomic_load_explicit(&ring->head, memory_order_acquire), tail = atomic_load(&ring->tail);
  for (uint64_t n; tail != head; tail += n) {
    n = MT_CHUNK_RECORDS - tail % MT_CHUNK_RECORDS < head - tail ? MT_CHUNK_RECORDS - tail % MT_CHUNK_RECORDS : head - tail;
    mt_drainer_send(MT_FRAME_RECORDS, index, tail, mt_ring_slot(ring, tail), n * MT_RECORD_SIZE, NULL, 0);
    atomic_store_explicit(&ring->tail, tail + n, memory_order_release);
  }
  atomic_store_explicit(&ring->claim, MT_CLAIM_NOBODY, memory_order_release);
}

static void *drain(void *nothing) {
  if (!mt_drainer_ready()) return nothing;
  for (;;) {
    for (unsigned i = 0; i < atomic_load(&mt_region->rings_used); i++) drain_ring(&mt_region->rings[i], i);
    mt_drainer_sample();
    mt_drainer_wait(5);
  }
}

__attribute__((constructor)) static void start(void) { __wrap_x_cgo_sys_thread_create(drain, 0); }
