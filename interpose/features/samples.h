// Storage for counter samples: sample buffers of each device, cut into chunks that belong to command buffers in flight.
//
// Rule: a chunk belongs to one command buffer from its first encoder to its completion. Its samples therefore have one
// writer, and older samples in it are outside of that command buffer's time. Metal allows 32 sample buffers of 4096
// samples in a process (gpuweb/gpuweb issues 3652 and 3648): the tracer allocates at most four, one by one as needed,
// and keeps them. No object of the program is retained.
//
// Memory order: the list of free chunks is a stack whose head has a counter against reuse in between, after Treiber,
// IBM RJ 5118, with the tag of IBM System/370. A push releases what was written into the chunk, a pop acquires it. The
// table from a command buffer's number to its chunks is written by the thread that encodes it, of which Metal allows
// one at a time, and is cleared on completion.
#ifndef MTRACE_SAMPLES_H
#define MTRACE_SAMPLES_H
#include "features/gpuclock.h"

enum { MT_ENCODERS_PER_CHUNK = 16, MT_SAMPLED_COMPUTE = 0, MT_SAMPLED_BLIT = 1, MT_SAMPLED_KINDS = 2 };

struct mt_sampled_device {
  _Atomic(id) device;
  _Atomic bool seen;                   // a thread tests it, or has tested it
  _Atomic bool works;                  // passed the self-test, and has given good samples since
  _Atomic uint64_t bad;                // encoders in a row with bad samples
  _Atomic uint64_t free;               // the first free chunk's number; above it the counter of changes
  // under the mutex of samples.c: how many there are, and the time of the next attempt to allocate one
  uint64_t sample_buffers, next_try;
  struct mt_gpu_clock clock;
};

struct mt_chunk {
  struct mt_sampled_device *device;
  // the sample buffer, and the index of this chunk's first sample in it
  id buffer;
  NSUInteger first;
  id descriptors[MT_SAMPLED_KINDS][MT_ENCODERS_PER_CHUNK]; // pass descriptors, created at first use and kept
  uint32_t encoders[MT_ENCODERS_PER_CHUNK], used;
  // the next chunk in the list of free chunks, or the next older chunk of the command buffer
  _Atomic uint32_t next;
  // number of the command buffer that the chunk belongs to, 0 if it is free
  _Atomic uint32_t number;
  _Atomic(id) command_buffer;                              // only compared
};

// Returns a device's state, which it creates if make is set. NULL if there is none, or if the table is full.
struct mt_sampled_device *mt_samples_device(id device, bool make);

// Returns a chunk with space for another encoder of the command buffer; NULL if there is none.
struct mt_chunk *mt_samples_take(struct mt_sampled_device *device, id command_buffer, uint32_t number);

// Removes and returns the chunks of a completed command buffer: the newest, with the others linked by next. NULL if it
// has none.
struct mt_chunk *mt_samples_end(uint32_t number);

// Releases a chunk and returns the next one.
struct mt_chunk *mt_samples_give(struct mt_chunk *chunk);

// Creates a pass descriptor whose samples are stored at an index of the chunk; the caller owns it.
id mt_samples_descriptor(const struct mt_chunk *chunk, unsigned place, unsigned kind);

// Returns the samples of a chunk's encoders, alternating start and end, in an autoreleased object; NULL if they cannot
// be read.
const uint64_t *mt_samples_read(const struct mt_chunk *chunk);
#endif
