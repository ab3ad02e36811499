// What is left to a child of a fork that cannot reach the collector: it has given up its user or its root folder, or
// lives in another namespace. The process that said hello has a page of memory which the collector sees too and every
// fork passes on; there the child leaves its number.
//
// Memory order: a slot is taken by an atomic addition and stored relaxed; the collector reads when the recording ends,
// and takes a slot that is still empty for a number that it does not know.
#ifndef MTRACE_CHILDREN_H
#define MTRACE_CHILDREN_H
#include <stdint.h>

// Makes the page when there is none, and returns its descriptor for the collector, to be closed; or -1.
int mt_children_page(void);

// This process is not traced, and can say so in no other way. how is 0, or MT_CHILD_FORKED for the child of a process
// that was recorded and whose own counters have been read for the last time.
void mt_children_note(uint32_t how);
#endif
