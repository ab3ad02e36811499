// The functions of the runtime of blocks (closures in C and Objective-C).
#ifndef MTRACE_BLOCKS_H
#define MTRACE_BLOCKS_H

// The runtime's addresses. All are NULL until the Objective-C runtime was found (hook/objc.h), and stay NULL if there
// is none. Check them before use.
struct mt_blocks {
  void *global, *stack; // _NSConcreteGlobalBlock, _NSConcreteStackBlock
  void (*assign)(void *, const void *, int);
  void (*dispose)(const void *, int);
};
extern struct mt_blocks mt_blocks;
#endif
