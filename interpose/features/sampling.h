// --gpu-timing encoder: the GPU's own clock at the boundaries of each compute and blit encoder.
//
// Rule: this is the only feature that changes the program's arguments, so it is off by default: an encoder is created
// with a pass descriptor of the tracer, whose samples show when the encoder began and ended. A pass descriptor of the
// program that samples counters is not changed. A device is used only after the self-test (samplecheck.c), and no
// longer if all its later samples are wrong. Render, Metal 4 and other encoders are not measured.
#ifndef MTRACE_SAMPLING_H
#define MTRACE_SAMPLING_H
#include "system/hidden.h"
#include "hook/objc.h"
#include "features/samples.h"

extern MT_HIDDEN bool mt_sampling_on; // MTRACE_GPU_TIMING=encoder

// Reads what is requested.
void mt_sampling_start(void);

// Looks up the methods of a class of command buffers that sampling calls, without the hooks.
void mt_sampling_see_class(unsigned slot, Class class, unsigned family);

// Called before a queue is created: tests the queue's device, the first time.
struct thread;
void mt_sampling_see(struct thread *t, id device);

// Returns the method to call instead of a method that creates an encoder; original itself if the encoder is not
// sampled. number is the command buffer's.
typedef id (*mt_make_encoder)(id, SEL);
typedef id (*mt_make_encoder_of_type)(id, SEL, NSUInteger);
typedef id (*mt_make_encoder_of_pass)(id, SEL, id);
mt_make_encoder mt_sampling_compute(struct thread *t, id command_buffer, uint32_t number, mt_make_encoder original);
mt_make_encoder_of_type mt_sampling_compute_of_type(struct thread *t, id command_buffer, uint32_t number,
    NSUInteger type, mt_make_encoder_of_type original);
mt_make_encoder_of_pass mt_sampling_pass(struct thread *t, id command_buffer, uint32_t number, unsigned kind, id pass,
    mt_make_encoder_of_pass original);
mt_make_encoder mt_sampling_blit(struct thread *t, id command_buffer, uint32_t number, mt_make_encoder original);

// Called after the encoder was created: stores the encoder's number, and returns the outcome.
unsigned mt_sampling_made(struct thread *t, uint32_t encoder);

// If sampling is on: records when the encoders of a command buffer began and ended.
struct mt_completed;
void mt_sampling_completed(struct thread *t, const struct mt_completed *completed);
#endif
