// Storage for counter samples (readings of the GPU's clock): each device has sample buffers, cut into chunks that
// belong to command buffers in flight.
//
// Rule: a chunk belongs to one command buffer from its first encoder to its completion. So a sample has one writer. A
// sample left over from the chunk's previous command buffer is recognized by its time, which is too early. Metal allows
// 32 sample buffers of 4096 samples in a process (gpuweb/gpuweb issues 3652 and 3648). The tracer therefore allocates
// at most four per device, one by one as needed, and keeps them. It retains no object of the program.
//
// Memory order: the free chunks form a lock-free stack (Treiber, IBM RJ 5118), whose head contains a counter of
// changes. Without the counter, a pop could store an outdated next chunk, if other threads popped and pushed the same
// chunk meanwhile. A push releases what was written into the chunk, and a pop acquires it. The table from a command
// buffer's number to its chunks is written by the thread that encodes (Metal allows one at a time), and cleared on
// completion.
#ifndef MTRACE_SAMPLES_H
#define MTRACE_SAMPLES_H
#include "features/gpuclock.h"

enum { MT_ENCODERS_PER_CHUNK = 16, MT_SAMPLED_COMPUTE = 0, MT_SAMPLED_BLIT = 1, MT_SAMPLED_KINDS = 2 };

struct mt_sampled_device {
  _Atomic(id) device;
  _Atomic bool seen;                   // a thread tests the device's samples, or has tested them
  _Atomic bool works;                  // the device passed the self-test, and its samples have been good since
  _Atomic uint64_t bad;                // number of consecutive encoders with bad samples
  _Atomic uint64_t free;               // low bits: number of the first free chunk; high bits: a counter of changes
  // the mutex of samples.c protects these: how many sample buffers the device has, and the time of the next attempt
  // to allocate one
  uint64_t sample_buffers, next_try;
  struct mt_gpu_clock clock;
};

struct mt_chunk {
  struct mt_sampled_device *device;
  // the Metal sample buffer that contains this chunk, and the index of the chunk's first sample in it
  id buffer;
  NSUInteger first;
  id descriptors[MT_SAMPLED_KINDS][MT_ENCODERS_PER_CHUNK]; // pass descriptors, created at first use and kept
  uint32_t encoders[MT_ENCODERS_PER_CHUNK], used;
  // index plus one of the next chunk: in the list of free chunks, or the next older chunk of the same command buffer;
  // 0 is none
  _Atomic uint32_t next;
  // number of the command buffer that owns the chunk, 0 if the chunk is free
  _Atomic uint32_t number;
  _Atomic(id) command_buffer;                              // not retained: only its address is compared
};

// Returns the state of a device. Creates it if make is set; returns NULL if there is none, or if the table is full.
struct mt_sampled_device *mt_samples_device(id device, bool make);

// Returns a chunk with space for another encoder of this command buffer, taking a free chunk if necessary; NULL if
// there is none.
struct mt_chunk *mt_samples_take(struct mt_sampled_device *device, id command_buffer, uint32_t number);

// Called when a command buffer has completed: returns its newest chunk, with the older ones linked by next, and
// removes them from the table; NULL if it has none. The caller frees each with mt_samples_give.
struct mt_chunk *mt_samples_end(uint32_t number);

// Frees a chunk and returns the next older chunk of the same command buffer, or NULL.
struct mt_chunk *mt_samples_give(struct mt_chunk *chunk);

// Creates a pass descriptor that makes the GPU store an encoder's start and end times in the chunk, as the chunk's
// encoder number `place` (from 0). kind is MT_SAMPLED_COMPUTE or MT_SAMPLED_BLIT. The caller owns the descriptor.
// Returns NULL on failure.
id mt_samples_descriptor(const struct mt_chunk *chunk, unsigned place, unsigned kind);

// Returns the samples of a chunk's encoders: start and end of the first, start and end of the second, and so on, in
// ticks of the GPU's clock. An autoreleased object owns them. Returns NULL if they cannot be read.
const uint64_t *mt_samples_read(const struct mt_chunk *chunk);
#endif
