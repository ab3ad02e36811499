// The layer that encodes: the program, a kernel of Metal Performance Shaders, or a graph. The layers' encode methods
// are recorded like other calls; Metal calls inside them are attributed to the layer.
#ifndef MTRACE_LAYERS_H
#define MTRACE_LAYERS_H
#include "hook/objc.h"

struct thread;

// Looks for the frameworks, which programs may load at any time, and hooks them once they are loaded. Cheap when
// nothing was loaded.
void mt_layers_look(struct thread *t);

// Records that a call of a kernel or a graph begins on this thread. The record of the call itself, at its end, closes
// it.
void mt_layer_begin(struct thread *t, id self);
#endif
