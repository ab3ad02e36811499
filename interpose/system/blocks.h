// The runtime of blocks.
#ifndef MTRACE_BLOCKS_H
#define MTRACE_BLOCKS_H

// All NULL until the Objective-C runtime is resolved (hook/objc.h), and when there is none.
struct mt_blocks {
  void *global, *stack; // _NSConcreteGlobalBlock, _NSConcreteStackBlock
  void (*assign)(void *, const void *, int);
  void (*dispose)(const void *, int);
};
extern struct mt_blocks mt_blocks;
#endif
