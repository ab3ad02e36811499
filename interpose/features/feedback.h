// GPU times of Metal 4. Its command buffers have none; a commit reports the times to the feedback handler of its
// options.
//
// Rule: the tracer's handler is added once, when the options are created, before the program has them. A program may
// use one options object for many commits from many threads, and a handler added for each commit would stay in the
// object. A feedback does not name its commit, so concurrent commits with the same options get no times. A commit
// without options gets options of the tracer.
#ifndef MTRACE_FEEDBACK_H
#define MTRACE_FEEDBACK_H
#include "hook/objc.h"

// For a class of Metal 4 queues: looks up commit:count:options: without the hooks. With the first device: makes all
// options that are created from then on have the tracer's handler. One thread at a time; does nothing without Metal 4.
void mt_feedback_see(unsigned slot, Class class, unsigned family);

// Called when a commit with options begins: its command buffers get the times that the handler receives.
void mt_feedback_begin(id options, const void *buffers, NSUInteger count);

typedef void (*mt_commit)(id queue, SEL selector, const void *buffers, NSUInteger count);

// Returns the function to call instead of a queue's commit:count:; original itself if no options can be created.
mt_commit mt_feedback_commit(id queue, mt_commit original);
#endif
