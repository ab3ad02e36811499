// Who encodes: the program, a kernel of Metal Performance Shaders, or a graph. Their encode methods are calls like
// others; what is made inside them is theirs.
#ifndef MTRACE_LAYERS_H
#define MTRACE_LAYERS_H
#include "hook/objc.h"

struct thread;

// Looks for the frameworks, which programs may load at any time, and hooks them once they are there. Cheap when nothing
// is new.
void mt_layers_look(struct thread *t);

// Writes that a call of a kernel or a graph begins on this thread; the record of the call itself, at its end, closes
// it.
void mt_layer_begin(struct thread *t, id self);
#endif
