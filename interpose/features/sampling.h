// --gpu-timing encoder: reads the GPU's own clock at the beginning and end of each compute and blit encoder.
//
// Rule: this is the only feature that changes the program's arguments, so it is off by default. An encoder is created
// with a pass descriptor of the tracer, whose samples show when the encoder began and ended. A pass descriptor of the
// program that samples counters itself is left alone. A device is used only if it passes the self-test
// (samplecheck.c), and until too many of its samples in a row are wrong. Render, Metal 4 and other encoders are not
// measured.
#ifndef MTRACE_SAMPLING_H
#define MTRACE_SAMPLING_H
#include "system/hidden.h"
#include "hook/objc.h"
#include "features/samples.h"

extern MT_HIDDEN bool mt_sampling_on; // MTRACE_GPU_TIMING=encoder

// Reads from the environment whether sampling was requested.
void mt_sampling_start(void);

// Looks up the original methods that sampling calls on a new class of command buffers.
void mt_sampling_see_class(unsigned slot, Class class, unsigned family);

// Called before a queue is created. Runs the self-test (samplecheck.h: are the counter samples correct?) on the queue's
// device, unless that was done before.
struct thread;
void mt_sampling_see(struct thread *t, id device);

// Called by the hook of a method that creates an encoder: returns the method to call instead, which creates a sampled
// encoder, or original if the encoder is not sampled. number is the object number of the command buffer.
typedef id (*mt_make_encoder)(id, SEL);
typedef id (*mt_make_encoder_of_type)(id, SEL, NSUInteger);
typedef id (*mt_make_encoder_of_pass)(id, SEL, id);
mt_make_encoder mt_sampling_compute(struct thread *t, id command_buffer, uint32_t number, mt_make_encoder original);
mt_make_encoder_of_type mt_sampling_compute_of_type(struct thread *t, id command_buffer, uint32_t number,
    NSUInteger type, mt_make_encoder_of_type original);
mt_make_encoder_of_pass mt_sampling_pass(struct thread *t, id command_buffer, uint32_t number, unsigned kind, id pass,
    mt_make_encoder_of_pass original);
mt_make_encoder mt_sampling_blit(struct thread *t, id command_buffer, uint32_t number, mt_make_encoder original);

// Called after the encoder was created: stores to which encoder the reserved samples belong. Returns the outcome,
// MT_SAMPLING_*.
unsigned mt_sampling_made(struct thread *t, uint32_t encoder);

// Called when a command buffer has completed: records when its sampled encoders began and ended on the GPU.
struct mt_completed;
void mt_sampling_completed(struct thread *t, const struct mt_completed *completed);
#endif
