// Devices that are made where no function of ours stands.
#ifndef MTRACE_BASE_H
#define MTRACE_BASE_H

// Hooks the initializers of Metal's base classes, where Metal is in the process. Called by the constructor, when the collector has answered.
void mt_base_hook(void);
#endif
