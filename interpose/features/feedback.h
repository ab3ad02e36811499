// Records GPU times in Metal 4, whose command buffers have no properties for them. Instead, Metal reports the times of
// a commit to the feedback handler of the commit's options.
//
// Rule: the tracer adds its handler once, when the options are created, before the program gets them. A program may use
// one options object for many commits from many threads. A handler added at each commit would stay in the object and
// run again at every later commit. A feedback does not say to which commit it belongs, so concurrent commits with the
// same options get no times. A commit without options gets options of the tracer.
#ifndef MTRACE_FEEDBACK_H
#define MTRACE_FEEDBACK_H
#include "hook/objc.h"

// Called for each new class; without Metal 4 it does nothing. For a class of queues it looks up the original
// commit:count:options:. At the first device it also hooks the creation of options, so that all later options get the
// tracer's handler. Only one thread may call it at a time.
void mt_feedback_see(unsigned slot, Class class, unsigned family);

// Called when a commit with options begins: stores the numbers of its command buffers, to which the handler assigns
// the times.
void mt_feedback_begin(id options, const void *buffers, NSUInteger count);

typedef void (*mt_commit)(id queue, SEL selector, const void *buffers, NSUInteger count);

// Returns the function to call instead of a queue's commit:count:, a commit without options. The function commits with
// options of the tracer, whose feedback handler receives the GPU times. Returns `original`, which reports no times, if
// the queue cannot commit with options.
mt_commit mt_feedback_commit(id queue, mt_commit original);
#endif
