package collector

import (
	"sync"

	"golang.org/x/sys/unix"

	"mtrace/collector/wire"
)

// mostPages is how many pages of children are kept. In a recording of more programs, the children of the oldest ones
// that use Metal later and cannot reach the collector are not reported.
const mostPages = 4096

// children are the pages in which the children of processes that said hello leave their numbers when they can reach
// nobody.
type children struct {
	mutex   sync.Mutex
	pages   []childrenPage
	notices []notice // of pages that are not kept any more
}

type childrenPage struct {
	memory  []byte
	program string
}

// take takes in the page that came with the hello of a program. A page that is none is as good as nothing: only its
// process could have said anything with it.
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

// takeNotices returns the notices of all children. No page is kept after it.
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
		outOfReach = "not traced: the collector could not be reached: the process had given up its user, " +
			"its root folder or its namespace"
		forked = "not traced: a child of a fork, without exec, of a process that was recorded passes through; " +
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
			notices = append(notices, notice{0, p.program, "not traced: more of its children than its page has room for"})
		}
		return nil
	})
	unix.Munmap(p.memory)
	return notices
}
