// Keeps Apple's optimized return of autoreleased objects working: Apple's runtime passes such an object directly to
// the caller, without a pool. A trampoline (the function that replaces a hooked method) stands between method and
// caller and would break that.
//
// Under ARC a method ends with a jump to objc_autoreleaseReturnValue, which stores the object, still owned, and the
// return address in the thread. The caller calls objc_retainAutoreleasedReturnValue directly after the call. The
// runtime looks at the return address and the code there, to check that the two calls belong together (objc4,
// runtime/objc-object.h: prepareOptimizedReturn, acceptOptimizedReturn). If they do not, the object stays in an
// autorelease pool until the pool is drained. A program without a pool per iteration would then keep every command
// buffer, but only under the tracer. So the trampoline of such a method plays both roles. It calls mt_claim directly
// after the original, and ends with a tail call of objc_autoreleaseReturnValue, which sees the program's return
// address.
//
// On arm64 mt_claim contains the marker instruction that the runtime looks for. objc_claimAutoreleasedReturnValue
// needs no marker, but does not support classes with their own retain method. On x86-64 the runtime compares exactly
// these instructions.
//
// GCC's runtime has no such optimization.
#ifndef MTRACE_AUTORELEASE_H
#define MTRACE_AUTORELEASE_H
#include "hook/objc.h"

#ifdef __APPLE__
extern id objc_autoreleaseReturnValue(id object);

// Takes ownership of the object that the call directly before has returned. No instruction may come between that call
// and this one, otherwise the runtime puts the object into a pool.
static inline __attribute__((always_inline)) id mt_claim(id returned) {
#ifdef __aarch64__
  register id object __asm__("x0") = returned;
  __asm__ volatile("mov x29, x29\n\tbl _objc_retainAutoreleasedReturnValue"
                   : "+r"(object)
                   :
                   : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",
                     "x15", "x16", "x17", "x30", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17",
                     "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30",
                     "v31", "cc", "memory");
#else
  id object = returned;
  __asm__ volatile("movq %%rax, %%rdi\n\tcallq _objc_retainAutoreleasedReturnValue"
                   : "+a"(object)
                   :
                   : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3",
                     "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",
                     "xmm14", "xmm15", "cc", "memory");
#endif
  return object;
}
#endif
#endif
