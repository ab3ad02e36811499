// The functions of the runtime of blocks (closures in C and Objective-C).
#ifndef MTRACE_BLOCKS_H
#define MTRACE_BLOCKS_H

// Addresses of variables and functions of the blocks runtime. All are NULL until the Objective-C runtime was found
// (hook/objc.h), and stay NULL if there is none. Check them before use.
struct mt_blocks {
  void *global, *stack; // _NSConcreteGlobalBlock, _NSConcreteStackBlock
  void (*assign)(void *, const void *, int); // _Block_object_assign
  void (*dispose)(const void *, int);        // _Block_object_dispose
};
extern struct mt_blocks mt_blocks;
#endif
