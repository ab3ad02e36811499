// Records which layer of software encodes GPU work: the program itself, a kernel of Metal Performance Shaders, or a
// graph. The layers' encode methods are recorded like other calls; Metal calls inside such a method are attributed to
// the layer.
#ifndef MTRACE_LAYERS_H
#define MTRACE_LAYERS_H
#include "hook/objc.h"

struct thread;

// Hooks Metal Performance Shaders and related frameworks once they are loaded, which programs may do at any time. It
// is cheap when nothing was loaded since the last call.
void mt_layers_look(struct thread *t);

// Records that a kernel or a graph begins to encode on this thread. There is no record for the end: the record of the
// encode call itself, written when it returns, marks the end.
void mt_layer_begin(struct thread *t, id self);
#endif
