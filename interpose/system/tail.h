// Marks a return statement whose call must be compiled to a jump, because the called function uses its return
// address. The called function must have the same prototype as the caller.
#ifndef MTRACE_TAIL_H
#define MTRACE_TAIL_H

#if defined(__has_attribute) && __has_attribute(musttail)
#define MT_TAIL __attribute__((musttail))
#else
#define MT_TAIL // for compilers that no Mac has
#endif
#endif
