// Tests whether a device's counter samples are correct.
#ifndef MTRACE_SAMPLECHECK_H
#define MTRACE_SAMPLECHECK_H
#include "features/samples.h"

// Converts an encoder's samples to times within a command buffer; returns an outcome.
struct mt_gpu_interval {
  uint64_t start, end; // ns
};
unsigned mt_sampling_check(const struct mt_sampled_device *device, const uint64_t samples[2],
    struct mt_gpu_interval within, struct mt_gpu_interval *measured);

// Measures a command buffer of the tracer, numbered MT_TRACERS_OWN. Returns NULL if the samples were correct, otherwise
// what was wrong.
struct thread;
const char *mt_samples_test(struct thread *t, struct mt_sampled_device *device, id object);
#endif
