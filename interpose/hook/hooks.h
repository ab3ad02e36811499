// The hook table as data: what install.c puts into classes.
#ifndef MTRACE_HOOKS_H
#define MTRACE_HOOKS_H
#include <stdatomic.h>
#include "hook/objc.h"

// One class's use of a hook. The original is stored, with release, before the trampoline is installed, so no call can
// find it missing, and loaded with acquire, so that a call that finds it finds the flags, too; the class's index goes
// into the flags of the records.
struct slot {
  _Atomic(IMP) original;
  unsigned flags;
};

struct hook {
  unsigned call, family;
  char returns;          // as in a type encoding; 'B' stands for every way to write BOOL
  unsigned arguments;    // without self and _cmd
  bool audit;            // it counts and is not needed: where a method looks otherwise nothing is reported
  unsigned slot_count;
  const IMP *trampolines; // one per slot
  struct slot *slots;
};

extern const struct hook mt_hooks[];
extern const unsigned mt_hook_count;
extern const char *const mt_selectors[]; // by call

// Numbers the object that a call of a family has made, and hooks its class when it is new.
struct thread;
uint32_t mt_made(struct thread *t, unsigned family, id object);

// Hooks what an object wraps, if it wraps anything, and gives it the object's number.
void mt_made_layers(struct thread *t, unsigned family, id object, uint32_t number);

// Notes an object made by an inner call: the wrapped twin of what the outer one will return.
void mt_made_inside(unsigned family, id object);
#endif
