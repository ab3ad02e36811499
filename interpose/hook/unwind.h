// Exceptions and thread cancellations that pass through a trampoline.
//
// Rule: a trampoline catches nothing. Its frame names a personality routine, as a frame with destructors does, which
// the unwinder calls while passing; the routine closes the thread's call and lets the unwinder continue. It is declared
// by hand, because -fexceptions would bring libgcc_s into every process, and a static copy of it aborts when it meets
// contexts of the shared one.
#ifndef MTRACE_UNWIND_H
#define MTRACE_UNWIND_H
#include <stdint.h>

// Names the routine for the function that contains the macro. The numbers are pointer encodings: 0x1b is relative to
// the position, 4 bytes; 0x9b the same through a pointer, which Mach-O requires (Linux Standard Base Core, "DWARF
// Extensions").
#ifdef __APPLE__
#define UNWIND_PERSONALITY __asm__ volatile(".cfi_personality 0x9b, _mt_unwind_personality")
#else
#define UNWIND_PERSONALITY __asm__ volatile(".cfi_personality 0x1b, mt_unwind_personality")
#endif

// The routine's signature is the Itanium C++ ABI's, level I.
int mt_unwind_personality(int version, int actions, uint64_t exception_class, void *exception, void *context);
#endif
