// Closes recorded calls that are left because of an exception or a thread cancellation; otherwise such a call would
// seem to run for ever.
//
// Rule: a trampoline (the function that replaces a hooked method) catches nothing. Its frame names a personality
// routine, as a frame with destructors does. The unwinder calls the routine while it passes the frame; the routine
// closes the thread's recorded call and lets the unwinder continue. The routine is declared by hand, because
// -fexceptions would link libgcc_s into every process. A static copy of libgcc_s aborts when it meets frames of the
// shared libgcc_s.
#ifndef MTRACE_UNWIND_H
#define MTRACE_UNWIND_H
#include <stdint.h>

// Names the personality routine for the function in which the macro is used. The numbers are pointer encodings: 0x1b
// is a 4-byte offset from the current position; 0x9b is the same through a pointer, which Mach-O requires (Linux
// Standard Base Core, "DWARF Extensions").
#ifdef __APPLE__
#define UNWIND_PERSONALITY __asm__ volatile(".cfi_personality 0x9b, _mt_unwind_personality")
#else
#define UNWIND_PERSONALITY __asm__ volatile(".cfi_personality 0x1b, mt_unwind_personality")
#endif

// The personality routine. The unwinder calls it, so it has the signature of the Itanium C++ ABI, level I.
int mt_unwind_personality(int version, int actions, uint64_t exception_class, void *exception, void *context);
#endif
