// --gpu-timing encoder: the GPU's own clock at the boundaries of each compute and blit encoder.
//
// Rule: this is the one place where what the program asks for is changed, so it is off unless it is asked for: an
// encoder is made with a pass descriptor of ours, whose samples say when it began and ended. A pass descriptor of the
// program's that samples counters stays as it is. A device is used only after it has measured a command buffer of ours
// right (samplecheck.c), and given up when all it says later is wrong. Render, Metal 4 and other encoders are not
// measured.
#ifndef MTRACE_SAMPLING_H
#define MTRACE_SAMPLING_H
#include "system/hidden.h"
#include "hook/objc.h"
#include "features/samples.h"

extern MT_HIDDEN bool mt_sampling_on; // MTRACE_GPU_TIMING=encoder

// Reads what is requested.
void mt_sampling_start(void);

// Looks up the methods of a class of command buffers that are used, without our hooks.
void mt_sampling_see_class(unsigned slot, Class class, unsigned family);

// Before a queue is made: tests the device, the first time.
struct thread;
void mt_sampling_see(struct thread *t, id device);

// What to call instead of a method that makes an encoder; original itself where the encoder is not to be sampled.
// number is the command buffer's.
typedef id (*mt_make_encoder)(id, SEL);
typedef id (*mt_make_encoder_of_type)(id, SEL, NSUInteger);
typedef id (*mt_make_encoder_of_pass)(id, SEL, id);
mt_make_encoder mt_sampling_compute(struct thread *t, id command_buffer, uint32_t number, mt_make_encoder original);
mt_make_encoder_of_type mt_sampling_compute_of_type(struct thread *t, id command_buffer, uint32_t number,
    NSUInteger type, mt_make_encoder_of_type original);
mt_make_encoder_of_pass mt_sampling_pass(struct thread *t, id command_buffer, uint32_t number, unsigned kind, id pass,
    mt_make_encoder_of_pass original);
mt_make_encoder mt_sampling_blit(struct thread *t, id command_buffer, uint32_t number, mt_make_encoder original);

// After it: notes the number of the encoder, and states what becomes of it.
unsigned mt_sampling_made(struct thread *t, uint32_t encoder);

// When it is on: writes down when the encoders of a command buffer began and ended.
struct mt_completed;
void mt_sampling_completed(struct thread *t, const struct mt_completed *completed);
#endif
