// Are a device's counter samples what they should be?
#ifndef MTRACE_SAMPLECHECK_H
#define MTRACE_SAMPLECHECK_H
#include "features/samples.h"

// Reads an encoder's samples as times of a command buffer; an outcome.
struct mt_gpu_interval {
  uint64_t start, end; // ns
};
unsigned mt_sampling_check(const struct mt_sampled_device *device, const uint64_t samples[2],
    struct mt_gpu_interval within, struct mt_gpu_interval *measured);

// Measures a command buffer of our own, which has the number MT_TRACERS_OWN. NULL when all was right, else what was
// not.
struct thread;
const char *mt_samples_test(struct thread *t, struct mt_sampled_device *device, id object);
#endif
