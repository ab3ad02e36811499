// A last call that must be a jump, because the function that is called looks at its return address. Its prototype is
// the caller's.
#ifndef MTRACE_TAIL_H
#define MTRACE_TAIL_H

#if defined(__has_attribute) && __has_attribute(musttail)
#define MT_TAIL __attribute__((musttail))
#else
#define MT_TAIL // of a compiler that no Mac has
#endif
#endif
