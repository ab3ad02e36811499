// The C functions that the drainer (the Go half of the library) calls: see drainer.h. Each one only calls the file
// that does the work.
#include "top/drainer.h"
#include "core/clock.h"
#include "top/cost.h"
#include "system/doorbell.h"
#include "stacks/images.h"
#include "core/session.h"
#include "stacks/stack.h"
#include "stacks/symbols.h"
#include "core/fact.h"

uint8_t *mt_drainer_region(void) { return (uint8_t *)mt_region; }

int mt_drainer_send(unsigned kind, unsigned ring, uint64_t position, const void *a, size_t a_length, const void *b,
    size_t b_length) {
  return mt_session_send(kind, ring, position, a, a_length, b, b_length);
}

int mt_drainer_name(void) {
  if (!mt_stacks) return 1;
  size_t length;
  const void *facts = mt_images_new(&length);
  if (length > 0 && !mt_session_send(MT_FRAME_PROCESS_FACTS, 0, 0, facts, length, NULL, 0)) return 0;
  facts = mt_symbols_new(&length);
  return length == 0 || mt_session_send(MT_FRAME_PROCESS_FACTS, 0, 0, facts, length, NULL, 0);
}

int mt_drainer_cost(void) {
  char fact[64];
  size_t length = mt_fact_put(fact, 0, sizeof fact, MT_FACT_COST, mt_cost_of_call(), "", 0);
  return mt_session_send(MT_FRAME_PROCESS_FACTS, 0, 0, fact, length, NULL, 0);
}

int mt_drainer_sample(void) {
  struct mt_clock_sample sample = mt_clock_sample_into(mt_region);
  return mt_session_send(MT_FRAME_CLOCK, 0, 0, &sample, sizeof sample, NULL, 0);
}

int mt_drainer_wait(int milliseconds) { return mt_doorbell_wait(milliseconds); }

int mt_drainer_ask_to_be_woken(void) { return atomic_exchange_explicit(&mt_drainer_sleeps, 1, memory_order_relaxed); }
