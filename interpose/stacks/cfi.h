// Finds a function's caller in code without frame pointers, by the tables that compilers write for exceptions and
// debuggers (.eh_frame; DWARF 5, 6.4; System V ABI for x86-64, 3.6.2). It is compiled only for Linux on x86-64, because
// code for arm64 has frame pointers.
//
// Rule: the tables are read where the loader has mapped them, without a lock, a system call or an allocation. The
// unwinding rule for a return address is computed once and cached; the cache has a fixed size, and newer entries
// replace older ones. Only functions on the calling thread's stack are looked up, so their files cannot be unloaded
// meanwhile. A table that this code cannot read is treated as missing.
#ifndef MTRACE_CFI_H
#define MTRACE_CFI_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "system/hidden.h"

// A function that is suspended in a call: the call's return address, and the values of stack pointer and frame
// pointer after the call.
struct mt_frame {
  uintptr_t pc, sp, fp;
};

// mt_cfi_step replaces the frame of a function by its caller's. It reads only memory between the frame's sp and
// `high`. If the caller has pc 0, the stack ends. If no table describes the function, mt_cfi_step returns false and
// changes nothing.
#if defined(__linux__) && defined(__x86_64__)
// Prepares mt_cfi_step; call it while the library is loaded.
void mt_cfi_start(void);

// Forgets all cached rules. Call it when files were loaded or unloaded: an address may belong to another function
// now.
void mt_cfi_forget(void);

// A rule says how to find a function's caller. The caller's stack pointer is called the CFA. A rule is packed into
// one word:
//
// - bits 0 to 2: the register from which the CFA is counted, or MT_CFI_END (no caller), or 0 (no rule)
// - bit 3: the CFA is stored in memory, at the address that register and offset give
// - bits 4 to 31: the offset from the register
// - bits 32 to 47: where the return address is, in words from the CFA
// - bits 48 to 63: where the caller's frame pointer is, in words from the CFA (with bit 3: from the frame pointer);
//   0 if the function has not changed it
//
// Rules are cached by address. The key is the address exclusive-or a hash of the rule: if two threads write an entry
// at once and a reader sees half of each, the key does not match. The key also includes the number of calls of
// mt_cfi_forget, so that entries older than the latest call do not match either.
enum { MT_CFI_END = 1, MT_CFI_FP = 6, MT_CFI_SP = 7, MT_CFI_KEPT = 4096 };
#define MT_CFI_MIX UINT64_C(0x9e3779b97f4a7c15)
extern MT_HIDDEN struct mt_cfi_kept {
  _Atomic uint64_t rule, key;
} mt_cfi_rules[MT_CFI_KEPT];
extern MT_HIDDEN _Atomic uint64_t mt_cfi_forgotten;

// Computes the unwinding rule for the return address pc, stores it in the cache entry k and returns it. `wanted` is
// the entry's key without the hash of the rule: the address and the number of calls of mt_cfi_forget, combined by
// exclusive-or.
uint64_t mt_cfi_keep(struct mt_cfi_kept *k, uintptr_t pc, uint64_t wanted) __attribute__((noinline, cold));

static inline uint64_t mt_cfi_rule(uintptr_t pc) {
  struct mt_cfi_kept *k = &mt_cfi_rules[(pc * MT_CFI_MIX) >> 52];
  uint64_t wanted = pc ^ atomic_load_explicit(&mt_cfi_forgotten, memory_order_relaxed) << 48;
  uint64_t rule = atomic_load_explicit(&k->rule, memory_order_relaxed);
  bool is = (atomic_load_explicit(&k->key, memory_order_relaxed) ^ rule * MT_CFI_MIX) == wanted;
  return __builtin_expect(is, 1) ? rule : mt_cfi_keep(k, pc, wanted);
}

__attribute__((no_sanitize_address, no_sanitize_thread)) static inline uintptr_t mt_cfi_word(uintptr_t address) {
  return *(const volatile uintptr_t *)address;
}

__attribute__((no_sanitize_address, no_sanitize_thread)) static inline bool mt_cfi_step(struct mt_frame *f,
    uintptr_t high) {
  // an address inside the call instruction: the return address may belong to the next function
  uint64_t rule = mt_cfi_rule(f->pc - 1);
  unsigned base = rule & 7;
  if (base < MT_CFI_FP) {
    if (base == MT_CFI_END) f->pc = 0;
    return base == MT_CFI_END;
  }
  uintptr_t low = f->sp, cfa = (base == MT_CFI_SP ? low : f->fp) + (uintptr_t)(intptr_t)((int32_t)rule >> 4);
  uintptr_t room = high - sizeof(uintptr_t) - low; // words that may be read are from low to low + room
  if (room > high) return false;                   // no whole word fits between low and high
#define MT_CFI_READABLE(at) (((at) & 7) == 0 && (at) - low <= room)
  uintptr_t fp_words = (uintptr_t)(intptr_t)(int16_t)(rule >> 48), fp_from = cfa;
  bool changed = fp_words != 0;
  if (rule & 8) {
    if (!MT_CFI_READABLE(cfa)) return false;
    cfa = mt_cfi_word(cfa);
    fp_from = f->fp, changed = true;
  }
  uintptr_t ra = cfa + (uintptr_t)(intptr_t)(int16_t)(rule >> 32) * 8, fp = fp_from + fp_words * 8;
  if (cfa - low - 1 >= high - low || !MT_CFI_READABLE(ra) || (changed && !MT_CFI_READABLE(fp)))
    return false;
  if (changed) f->fp = mt_cfi_word(fp);
  f->pc = mt_cfi_word(ra);
  f->sp = cfa;
  return true;
}
#else
static inline bool mt_cfi_step(struct mt_frame *f, uintptr_t high) { return (void)f, (void)high, false; }
static inline void mt_cfi_start(void) {}
static inline void mt_cfi_forget(void) {}
#endif
#endif
