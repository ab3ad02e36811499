// GPU times of Metal 4: its command buffers have none, a commit tells them to a feedback handler of its options.
//
// Rule: our handler is added once, when options are made, before the program has them: a program may use one options
// object for many commits, from many threads, and a handler added for each would stay in it. A feedback does not say
// which commit it is of, so of commits with the same options that are under way at once none gets times. A commit
// without options is made with options of our own.
#ifndef MTRACE_FEEDBACK_H
#define MTRACE_FEEDBACK_H
#include "hook/objc.h"

// Of Metal 4's queues, looks up commit:count:options: without our hooks; with the first device, puts our handler into
// all options that are made from now on. One thread at a time; nothing where there is no Metal 4.
void mt_feedback_see(unsigned slot, Class class, unsigned family);

// A commit with options begins: its command buffers get the times that the handler gets.
void mt_feedback_begin(id options, const void *buffers, NSUInteger count);

typedef void (*mt_commit)(id queue, SEL selector, const void *buffers, NSUInteger count);

// What to call instead of a queue's commit:count:; original itself where there are no options to be had.
mt_commit mt_feedback_commit(id queue, mt_commit original);
#endif
