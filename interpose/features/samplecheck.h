// Tests whether a device's counter samples are correct.
#ifndef MTRACE_SAMPLECHECK_H
#define MTRACE_SAMPLECHECK_H
#include "features/samples.h"

// Converts an encoder's two counter samples (GPU clock readings) to a start and an end. Both must be inside `within`,
// the command buffer's time. Returns MT_SAMPLING_MEASURED, or the outcome that names the error in the samples.
struct mt_gpu_interval {
  uint64_t start, end; // ns
};
unsigned mt_sampling_check(const struct mt_sampled_device *device, const uint64_t samples[2],
    struct mt_gpu_interval within, struct mt_gpu_interval *measured);

// Runs the self-test on a device: a command buffer whose counter samples are compared with its GPU time. Returns NULL
// if the samples were correct, otherwise a text that names the error.
struct thread;
const char *mt_samples_test(struct thread *t, struct mt_sampled_device *device, id object);
#endif
