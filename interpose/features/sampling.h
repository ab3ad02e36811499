// --gpu-timing encoder: the GPU's own clock at the boundaries of each compute and blit encoder.
//
// Rule: this is the one place where what the program asks for is changed, so it is off unless it is asked for: an encoder is made with
// a pass descriptor of ours, whose samples say when it began and ended. A pass descriptor of the program's that samples counters
// stays as it is. A device is used only after it has measured a command buffer of ours right (samplecheck.c), and given up
// when all it says later is wrong. Render, Metal 4 and other encoders are not measured.
#ifndef MTRACE_SAMPLING_H
#define MTRACE_SAMPLING_H
#include "system/hidden.h"
#include "hook/objc.h"
#include "features/samples.h"

extern MT_HIDDEN bool mt_sampling_on; // MTRACE_GPU_TIMING=encoder

// The methods of a command buffer that are used, without our hooks. Looked up when its class is hooked.
struct sampling_methods {
  id (*device)(id, SEL);
  id (*make[MT_SAMPLED_KINDS])(id, SEL, id);
};
void mt_sampling_resolve(struct sampling_methods *methods, Class class);

// The encoder that a thread is about to make.
struct sampling {
  unsigned outcome; // MT_SAMPLING_*
  unsigned kind;
  id descriptor;
  struct mt_chunk *chunk;
  id (*make)(id, SEL, id);
};

// Before a queue is made: tests the device, the first time.
struct thread;
void mt_sampling_see(struct thread *t, id device);

// What to call instead of a method that makes an encoder; original itself where the encoder is not to be sampled. number is the
// command buffer's.
typedef id (*mt_make_encoder)(id, SEL);
typedef id (*mt_make_encoder_of_type)(id, SEL, NSUInteger);
typedef id (*mt_make_encoder_of_pass)(id, SEL, id);
mt_make_encoder mt_sampling_compute(struct thread *t, id command_buffer, uint32_t number, mt_make_encoder original);
mt_make_encoder_of_type mt_sampling_compute_of_type(struct thread *t, id command_buffer, uint32_t number, NSUInteger type, mt_make_encoder_of_type original);
mt_make_encoder_of_pass mt_sampling_pass(struct thread *t, id command_buffer, uint32_t number, unsigned kind, id pass, mt_make_encoder_of_pass original);
mt_make_encoder mt_sampling_blit(struct thread *t, id command_buffer, uint32_t number, mt_make_encoder original);

// After it: notes the number of the encoder, and says what becomes of it.
unsigned mt_sampling_made(struct thread *t, uint32_t encoder);

// In the completion handler, when it is on: writes down when the encoders of a command buffer began and ended. start and end are its GPU times.
void mt_sampling_completed(struct thread *t, uint32_t number, uint64_t handled, uint64_t start, uint64_t end);

// Reads an encoder's samples as times of a command buffer; an outcome.
struct mt_gpu_interval {
  uint64_t start, end; // ns
};
unsigned mt_sampling_check(const struct mt_sampled_device *device, const uint64_t samples[2], struct mt_gpu_interval within, struct mt_gpu_interval *measured);

// Measures a command buffer of our own, which has this number. NULL when all was right, else what was not.
#define MT_SAMPLES_TEST (MT_FIRST_LOCK - 1)
const char *mt_samples_test(struct thread *t, struct mt_sampled_device *device, id object);
#endif
