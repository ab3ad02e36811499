// The page of children: one page of memory, shared with the collector and inherited by every fork, in which a forked
// child that cannot reach the collector stores its process id. Such a child has dropped privileges, changed its root
// folder, or is in another namespace. Without the page it would be missing from the report.
//
// Memory order: a child takes a slot by an atomic addition and stores its id with relaxed order. The collector reads
// the page when the recording ends; it counts a slot that is taken and still empty as a child with an unknown id.
#ifndef MTRACE_CHILDREN_H
#define MTRACE_CHILDREN_H
#include <stdint.h>

// Creates the page of children if it does not exist yet. Returns a descriptor of the page, or -1. The caller sends
// the descriptor to the collector and closes it.
int mt_children_page(void);

// Stores this process's id in the page of children: an untraced process has no socket on which it could report itself.
// `how` is 0, or MT_CHILD_FORKED if the parent was recorded and has already ended: the collector no longer reads the
// parent's counter of forks, so only the page reports this child.
void mt_children_note(uint32_t how);
#endif
