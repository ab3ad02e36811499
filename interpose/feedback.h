// GPU times of Metal 4: its command buffers have none, a commit tells them to a feedback handler.
//
// Rule: a commit without options is made with options of our own that hold our handler. One that brings options is left as it is:
// a program may use one options object for many commits, and a handler added for each would stay in it.
#ifndef MTRACE_FEEDBACK_H
#define MTRACE_FEEDBACK_H
#include "objc.h"

typedef void (*mt_commit)(id queue, SEL selector, const void *buffers, NSUInteger count);

// What to call instead of a queue's commit:count:; original itself where there are no options to be had.
mt_commit mt_feedback_commit(id queue, mt_commit original);

// commit:count:options: of a class, without our hooks; NULL when it has none. Looked up when the class is hooked.
IMP mt_feedback_resolve(Class class);
#endif
