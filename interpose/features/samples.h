// Room for counter samples: sample buffers of each device, cut into chunks that command buffers in flight hold.
//
// Rule: a chunk belongs to one command buffer from its first encoder to its completion, so its samples have one writer,
// and what they held before lies outside of that command buffer's time. Metal allows 32 sample buffers of 4096 samples
// in a process (gpuweb/gpuweb issues 3652 and 3648): at most four are taken, one by one as they are needed, and kept.
// Nothing of the program's is retained.
//
// Memory order: the list of free chunks is a stack whose head carries a count against reuse in between, after Treiber,
// IBM RJ 5118, with the tag of IBM System/370. Pushing releases what was written into the chunk, popping acquires it.
// The table from a command buffer's number to its chunks is written by whoever encodes it, of whom Metal allows one at
// a time, and emptied on completion.
#ifndef MTRACE_SAMPLES_H
#define MTRACE_SAMPLES_H
#include "features/gpuclock.h"

enum { MT_ENCODERS_PER_CHUNK = 16, MT_SAMPLED_COMPUTE = 0, MT_SAMPLED_BLIT = 1, MT_SAMPLED_KINDS = 2 };

struct mt_sampled_device {
  _Atomic(id) device;
  _Atomic bool seen;                   // somebody tests it, or has
  _Atomic bool works;                  // passed the self-test, and gave good samples since
  _Atomic uint64_t bad;                // encoders in a row whose samples were
  _Atomic uint64_t free;               // the first free chunk's number, and above it the count of changes
  uint64_t sample_buffers, next_try;   // under the mutex of samples.c: how many there are, and when to ask for more
  struct mt_gpu_clock clock;
};

struct mt_chunk {
  struct mt_sampled_device *device;
  // the sample buffer, and the first of this chunk's samples in it
  id buffer;
  NSUInteger first;
  id descriptors[MT_SAMPLED_KINDS][MT_ENCODERS_PER_CHUNK]; // pass descriptors, made at first use and kept
  uint32_t encoders[MT_ENCODERS_PER_CHUNK], used;
  // chunk below in the list of free ones, or older one of the command buffer
  _Atomic uint32_t next;
  _Atomic uint32_t number;                                 // of the command buffer it belongs to, 0 when it is free
  _Atomic(id) command_buffer;                              // only compared
};

// A device's state; NULL when it has none, or make is set and there is no room for another.
struct mt_sampled_device *mt_samples_device(id device, bool make);

// A chunk with room for another encoder of the command buffer; NULL when there is none.
struct mt_chunk *mt_samples_take(struct mt_sampled_device *device, id command_buffer, uint32_t number);

// Takes away the chunks of a command buffer that has completed: the newest, the others by next. 0 when it had none.
struct mt_chunk *mt_samples_end(uint32_t number);

// The one after it, and gives this one back.
struct mt_chunk *mt_samples_give(struct mt_chunk *chunk);

// Makes a pass descriptor whose samples go to a place of the chunk; +1.
id mt_samples_descriptor(const struct mt_chunk *chunk, unsigned place, unsigned kind);

// The samples of a chunk's encoders, start and end by turns, in an autoreleased object; NULL when they cannot be read.
const uint64_t *mt_samples_read(const struct mt_chunk *chunk);
#endif
