// The page of children: how a forked child that cannot reach the collector still reports that it exists. Such a child
// has dropped privileges, changed its root folder, or is in another namespace. The process that said hello has a page
// of memory that is shared with the collector and inherited by every fork; the child writes its process id there.
//
// Memory order: a slot is taken by an atomic addition and stored relaxed. The collector reads the page when the
// recording ends; a slot that is still empty then counts as a child with an unknown id.
#ifndef MTRACE_CHILDREN_H
#define MTRACE_CHILDREN_H
#include <stdint.h>

// Creates the page if there is none. Returns its descriptor for the collector, which the caller closes; or -1.
int mt_children_page(void);

// Notes that this process is not traced, if it cannot report that in any other way. how is 0, or MT_CHILD_FORKED for
// the child of a recorded process whose own counters have been read for the last time.
void mt_children_note(uint32_t how);
#endif
