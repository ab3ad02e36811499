// How many command buffers are alive. A program without an autorelease pool around its loop never frees those that it
// creates, and with them their encoders and all resources they use.
//
// Rule: creating and freeing one count, and write no record. The counts of all threads are in the region's header.
#ifndef MTRACE_ALIVE_H
#define MTRACE_ALIVE_H
#include "core/thread.h"
#include "hook/objc.h"

// The program has created a command buffer. hooked: frees of command buffers are seen.
void mt_alive_made(const struct thread *t, id made, bool hooked);

// A command buffer is about to be freed. One object may announce that several times: its class and the class's ancestor
// can both be hooked, and a wrapper frees what it wraps, which has its number.
void mt_alive_freed(id self);
#endif
