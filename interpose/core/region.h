// The shared memory of a traced process, with the layout of collector/wire/layout.go. wire.h has the offsets by which
// the collector reads this memory. The assertions below check that the structs have the same offsets.
//
// Rule and memory order: every ring (a thread's buffer of records) has one producer, its thread, and one consumer: the
// collector or the drainer (the tracer's own thread), whichever has set the ring's claim word. The producer fills slots
// and publishes them with a release store of head. The consumer reads head with acquire, copies the records, and frees
// the slots with a release store of tail. The producer reads tail with acquire before it reuses a slot. With weaker
// order the consumer would copy half-written records, or the producer would overwrite records before they are copied.
// All other words are counters with relaxed order: a reader may see an old value, never half of one.
#ifndef MTRACE_REGION_H
#define MTRACE_REGION_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "wire.h"
struct record {
  uint64_t begin, end, arg;
  uint32_t object;
  uint16_t call, flags;
};

struct ring {
  _Atomic uint64_t head, dropped, facts_head, facts_dropped;
  _Alignas(128) _Atomic uint64_t tail;
  _Atomic uint64_t facts_tail;
  _Alignas(128) _Atomic uint32_t claim;
  _Alignas(128) _Atomic uint32_t state;
  _Atomic uint64_t thread;
  _Alignas(128) _Atomic uint64_t current_begin;
  _Atomic uint64_t current; // object | call<<32, one word so that it is never torn; 0 is none
  _Atomic uint64_t awaited, awaited_flags; // for the current call, if it is a wait
  _Atomic uint32_t delays;                 // the code of the thread that an experiment delays now; see delay.h
  _Alignas(128) _Atomic uint64_t blocked_begin;
  _Atomic uint64_t blocked_address, blocked_holder;
  _Atomic uint64_t blocked; // call | flags<<16 | interpreter<<32, stored last; 0 is none
  _Alignas(128) _Atomic uint64_t polled_begin;
  _Atomic uint64_t polled_last, polled_count, polled_answer;
  _Atomic uint64_t polled; // object | call<<32, stored last; 0 is none
  _Alignas(1024) _Atomic uint64_t nested[MT_NESTED_FAMILIES]; // see coverage.h
  _Atomic uint64_t commits, commits_missed, completions, completions_missed;
  _Atomic uint64_t delayed, injected, units, unit_at, paid; // counted while an experiment runs
  _Alignas(128) _Atomic uint8_t chunks[MT_CHUNKS_PER_RING]; // where records are: see mt_ring_slot
  _Alignas(MT_PAGE_SIZE) struct record records[MT_RECORDS_PER_RING];
  uint8_t facts[MT_FACTS_PER_RING];
};

struct region {
  uint64_t magic;
  uint32_t version, pid, clock_kind, timebase_numerator, timebase_denominator;
  _Atomic uint32_t rings_used;
  uint64_t first_ticks;
  int64_t first_nanos;
  _Atomic uint64_t latest_sequence, latest_ticks;
  _Atomic int64_t latest_nanos;
  _Atomic uint64_t unringed, unnumbered, unused, forks, rejected;
  _Atomic uint32_t ended;
  _Alignas(1024) _Atomic uint32_t delay_sequence; // the delays of an experiment; see delay.h
  _Atomic uint32_t delay_kinds;
  _Atomic uint64_t delay_length, delay_until, delay_lock, progress;
  _Alignas(64) _Atomic uint64_t delay_due;
  _Alignas(64) _Atomic uint64_t delay_calls[MT_DELAY_CALL_WORDS];
  _Alignas(128) _Atomic uint64_t buffers_made; // command buffers: see features/alive.h
  _Atomic uint64_t buffers_most;
  _Alignas(128) _Atomic uint64_t buffers_freed;
  _Alignas(128) _Atomic uint64_t encoders_made;
  _Atomic uint64_t encoders_most;
  _Alignas(128) _Atomic uint64_t encoders_freed;
  _Alignas(MT_PAGE_SIZE) struct ring rings[MT_RING_COUNT];
};

#define MT_AT(type, member, offset) _Static_assert(offsetof(struct type, member) == (offset), #type "." #member)
MT_AT(region, magic, MT_REGION_MAGIC_OFFSET);
MT_AT(region, version, MT_REGION_VERSION_OFFSET);
MT_AT(region, pid, MT_REGION_PID_OFFSET);
MT_AT(region, clock_kind, MT_REGION_CLOCK_KIND_OFFSET);
MT_AT(region, timebase_numerator, MT_REGION_TIMEBASE_OFFSET);
MT_AT(region, rings_used, MT_REGION_RINGS_USED_OFFSET);
MT_AT(region, first_ticks, MT_REGION_FIRST_SAMPLE_OFFSET);
MT_AT(region, latest_sequence, MT_REGION_LATEST_SAMPLE_OFFSET);
MT_AT(region, unringed, MT_REGION_UNRINGED_OFFSET);
MT_AT(region, unnumbered, MT_REGION_UNNUMBERED_OFFSET);
MT_AT(region, forks, MT_REGION_FORKS_OFFSET);
MT_AT(region, rejected, MT_REGION_REJECTED_OFFSET);
MT_AT(region, ended, MT_REGION_ENDED_OFFSET);
MT_AT(region, delay_sequence, MT_REGION_DELAYS_OFFSET);
MT_AT(region, delay_kinds, MT_REGION_DELAY_KINDS_OFFSET);
MT_AT(region, delay_length, MT_REGION_DELAY_OFFSET);
MT_AT(region, delay_until, MT_REGION_DELAY_UNTIL_OFFSET);
MT_AT(region, delay_lock, MT_REGION_DELAY_LOCK_OFFSET);
MT_AT(region, progress, MT_REGION_PROGRESS_OFFSET);
MT_AT(region, delay_due, MT_REGION_DELAY_DUE_OFFSET);
MT_AT(region, delay_calls, MT_REGION_DELAY_CALLS_OFFSET);
_Static_assert(MT_CALL_COUNT <= 64 * MT_DELAY_CALL_WORDS, "calls");
MT_AT(region, buffers_made, MT_REGION_BUFFERS_MADE_OFFSET);
MT_AT(region, buffers_most, MT_REGION_BUFFERS_MOST_OFFSET);
MT_AT(region, buffers_freed, MT_REGION_BUFFERS_FREED_OFFSET);
MT_AT(region, encoders_made, MT_REGION_ENCODERS_MADE_OFFSET);
MT_AT(region, encoders_most, MT_REGION_ENCODERS_MOST_OFFSET);
MT_AT(region, encoders_freed, MT_REGION_ENCODERS_FREED_OFFSET);
MT_AT(region, rings, MT_PAGE_SIZE);
MT_AT(ring, head, MT_RING_HEAD_OFFSET);
MT_AT(ring, dropped, MT_RING_DROPPED_OFFSET);
MT_AT(ring, facts_head, MT_RING_FACTS_HEAD_OFFSET);
MT_AT(ring, facts_dropped, MT_RING_FACTS_DROPPED_OFFSET);
MT_AT(ring, tail, MT_RING_TAIL_OFFSET);
MT_AT(ring, facts_tail, MT_RING_FACTS_TAIL_OFFSET);
MT_AT(ring, claim, MT_RING_CLAIM_OFFSET);
MT_AT(ring, state, MT_RING_STATE_OFFSET);
MT_AT(ring, thread, MT_RING_THREAD_OFFSET);
MT_AT(ring, current_begin, MT_RING_CURRENT_OFFSET);
MT_AT(ring, current, MT_RING_CURRENT_OFFSET + 8);
MT_AT(ring, awaited, MT_RING_AWAITED_OFFSET);
MT_AT(ring, awaited_flags, MT_RING_AWAITED_OFFSET + 8);
MT_AT(ring, delays, MT_RING_DELAYS_OFFSET);
MT_AT(ring, blocked_begin, MT_RING_BLOCKED_OFFSET);
MT_AT(ring, blocked, MT_RING_BLOCKED_OFFSET + 24);
MT_AT(ring, polled_begin, MT_RING_POLLED_OFFSET);
MT_AT(ring, polled, MT_RING_POLLED_OFFSET + 32);
MT_AT(ring, nested, MT_RING_NESTED_OFFSET);
MT_AT(ring, commits, MT_RING_COMMITS_OFFSET);
MT_AT(ring, commits_missed, MT_RING_COMMITS_MISSED_OFFSET);
MT_AT(ring, completions, MT_RING_COMPLETIONS_OFFSET);
MT_AT(ring, completions_missed, MT_RING_COMPLETIONS_MISSED_OFFSET);
MT_AT(ring, delayed, MT_RING_DELAYED_OFFSET);
MT_AT(ring, injected, MT_RING_INJECTED_OFFSET);
MT_AT(ring, units, MT_RING_UNITS_OFFSET);
MT_AT(ring, unit_at, MT_RING_UNIT_AT_OFFSET);
MT_AT(ring, paid, MT_RING_PAID_OFFSET);
MT_AT(ring, chunks, MT_RING_CHUNKS_OFFSET);
_Static_assert(MT_FAMILY_COUNT <= MT_NESTED_FAMILIES, "families");
MT_AT(ring, records, MT_PAGE_SIZE);
_Static_assert(sizeof(struct record) == MT_RECORD_SIZE, "record");
_Static_assert(sizeof(struct ring) == MT_RING_STRIDE, "ring");
_Static_assert(sizeof(struct region) == MT_REGION_SIZE, "region");

// This process's shared memory, NULL until the first Metal call. It is never unmapped, because another thread may be
// writing a record at any time.
extern struct region *mt_region;

// Creates the shared memory and returns the descriptor to send to the collector, or -1. On failure, *why is one line
// for the user.
int mt_region_make(const char **why);

static inline void mt_count(_Atomic uint64_t *counter) { atomic_fetch_add_explicit(counter, 1, memory_order_relaxed); }
#endif
