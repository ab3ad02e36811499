// The table of hooks as data: for each hooked selector, its prototype and trampolines (the functions that replace
// hooked methods). install.c installs them in classes.
#ifndef MTRACE_HOOKS_H
#define MTRACE_HOOKS_H
#include <stdatomic.h>
#include "hook/objc.h"

// The use of one hook in one class. Memory order: the original method is stored with release before the trampoline
// (the function that replaces a hooked method) is installed, and loaded with acquire. So a call that runs the
// trampoline always finds the original, and the flags. flags contain the class's index for the records.
struct slot {
  _Atomic(IMP) original;
  unsigned flags;
};

struct hook {
  unsigned call, family;
  char returns;          // the return type as in a type encoding; 'B' stands for every encoding of BOOL
  unsigned arguments;    // number of arguments, without self and _cmd
  bool audit;            // the hook only counts and is optional: a method with another prototype is not reported
  unsigned slot_count;
  const IMP *trampolines; // one per slot
  struct slot *slots;
};

extern const struct hook mt_hooks[];
extern const unsigned mt_hook_count;
extern const char *const mt_selectors[]; // by call

// Gives a number to the object that a call has created, and hooks the object's class if it is new. Returns the
// number; 0 for NULL.
struct thread;
uint32_t mt_made(struct thread *t, unsigned family, id object);

// Hooks the objects inside a wrapper, and gives them the wrapper's number: to the user they are one object.
void mt_made_layers(struct thread *t, unsigned family, id object, uint32_t number);

// Notes an object that an inner call (a Metal call inside another one) created. The outer call may return a wrapper
// around this object; wrapper and object then get the same number.
void mt_made_inside(unsigned family, id object);
#endif
