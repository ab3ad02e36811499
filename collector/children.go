package collector

import (
	"sync"

	"golang.org/x/sys/unix"

	"mtrace/collector/wire"
)

// mostPages limits the number of mapped children pages, one per connected program. Beyond the limit the oldest page
// is dropped. If a child of that page's program later uses Metal and cannot reach the collector, the report does not
// name the child.
const mostPages = 4096

// children holds one page of shared memory for each program that connected. A child process that uses Metal and
// cannot reach the collector writes its process id into its program's page, so that the report can name it as not
// traced.
type children struct {
	mutex   sync.Mutex
	pages   []childrenPage
	notices []notice // processes noted in pages that are no longer kept
}

type childrenPage struct {
	memory  []byte
	program string
}

// take maps the page of shared memory in which a program's untraced children report themselves. Its file descriptor
// came with the program's hello (its first message). An invalid page is ignored, because only the
// children of this program are then not reported.
func (c *children) take(r *descriptorReader, program string) {
	fd := r.take()
	if fd < 0 {
		return
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if unix.Fstat(fd, &stat) != nil || stat.Size < wire.ChildrenSize {
		return
	}
	memory, err := unix.Mmap(fd, 0, wire.ChildrenSize, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if len(c.pages) == mostPages {
		c.notices = append(c.notices, c.pages[0].takeNotices()...)
		c.pages = append(c.pages[:0], c.pages[1:]...)
	}
	c.pages = append(c.pages, childrenPage{memory, program})
}

// takeNotices returns one notice for each untraced child in all pages, and unmaps the pages.
func (c *children) takeNotices() []notice {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, p := range c.pages {
		c.notices = append(c.notices, p.takeNotices()...)
	}
	c.pages = nil
	return c.notices
}

func (p childrenPage) takeNotices() (notices []notice) {
	const (
		outOfReach = "not traced: the collector could not be reached: " +
			"the process had dropped privileges or changed its root folder or its namespace"
		forked = "not traced: children of a recorded process by fork without exec are not recorded; " +
			"this one used Metal after its parent's end"
	)
	guard(func() error {
		all, more := wire.Children(p.memory)
		for _, child := range all {
			why := outOfReach
			if child.Forked {
				why = forked
			}
			notices = append(notices, notice{child.PID, p.program, why})
		}
		if more {
			notices = append(notices, notice{0, p.program, "not traced: more child processes than could be listed"})
		}
		return nil
	})
	unix.Munmap(p.memory)
	return notices
}
