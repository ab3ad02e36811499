// The hook table as data, which install.c installs in classes.
#ifndef MTRACE_HOOKS_H
#define MTRACE_HOOKS_H
#include <stdatomic.h>
#include "hook/objc.h"

// One class's use of a hook. The original is stored, with release, before the trampoline is installed, so no call can
// find it missing. It is loaded with acquire, so a call that finds it also sees the flags. The class's index goes into
// the flags of the records.
struct slot {
  _Atomic(IMP) original;
  unsigned flags;
};

struct hook {
  unsigned call, family;
  char returns;          // the return type as in a type encoding; 'B' stands for every encoding of BOOL
  unsigned arguments;    // without self and _cmd
  bool audit;            // it only counts and is optional: a method with another prototype is not reported
  unsigned slot_count;
  const IMP *trampolines; // one per slot
  struct slot *slots;
};

extern const struct hook mt_hooks[];
extern const unsigned mt_hook_count;
extern const char *const mt_selectors[]; // by call

// Numbers the object that a call of a family has created, and hooks its class if it is new.
struct thread;
uint32_t mt_made(struct thread *t, unsigned family, id object);

// Hooks the object that a wrapper wraps, if any, and gives it the wrapper's number.
void mt_made_layers(struct thread *t, unsigned family, id object, uint32_t number);

// Notes an object created by an inner call: the object that the outer call's wrapper will wrap.
void mt_made_inside(unsigned family, id object);
#endif
