package collector

import (
	"sync"

	"golang.org/x/sys/unix"

	"mtrace/collector/wire"
)

// mostPages is how many pages of children are kept. Who starts more programs than that in one recording has children that gave up their
// user or their root folder told of only where the program that they are of was among the last.
const mostPages = 4096

// children are the pages in which the children of processes that said hello leave their numbers when they can reach nobody.
type children struct {
	mutex sync.Mutex
	pages []childrenPage
	words []word // of pages that are not kept any more
}

type childrenPage struct {
	memory  []byte
	program string
}

// take takes in the page that came with the hello of a program. A page that is none is as good as nothing: only its process could have
// said anything with it.
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
		c.words = append(c.words, c.pages[0].said()...)
		c.pages = append(c.pages[:0], c.pages[1:]...)
	}
	c.pages = append(c.pages, childrenPage{memory, program})
}

// said is what all children said; after it no page is kept.
func (c *children) said() []word {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, p := range c.pages {
		c.words = append(c.words, p.said()...)
	}
	c.pages = nil
	return c.words
}

func (p childrenPage) said() (words []word) {
	const (
		outOfReach = "not traced: the collector could not be reached: the process had given up its user, its root folder or its namespace"
		forked     = "not traced: a child of a fork, without exec, of a process that was recorded passes through; this one used Metal after its parent's end"
	)
	guard(func() error {
		all, more := wire.Children(p.memory)
		for _, child := range all {
			why := outOfReach
			if child.Forked {
				why = forked
			}
			words = append(words, word{child.PID, p.program, why})
		}
		if more {
			words = append(words, word{0, p.program, "not traced: more of its children than its page has room for"})
		}
		return nil
	})
	unix.Munmap(p.memory)
	return words
}
