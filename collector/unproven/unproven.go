// Package unproven limits the connections whose other end has not proved yet that it knows a token.
package unproven

import (
	"io"
	"sync"
)

// Connections is a limited set of the connections that are not authenticated yet. Adding one to a full set closes the
// oldest. So a flood of strangers cannot use up the file descriptors. A peer that knows the token still gets through,
// because it is in the set only for milliseconds.
type Connections struct {
	places  int
	mutex   sync.Mutex
	waiting []io.Closer // oldest first
}

// New returns an empty set for that number of connections.
func New(places int) *Connections { return &Connections{places: places} }

// Add adds a connection. If the set is full, it closes the oldest connection and returns it; otherwise it returns nil.
func (c *Connections) Add(conn io.Closer) (closed io.Closer) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if len(c.waiting) == c.places {
		closed = c.waiting[0]
		c.waiting = c.waiting[1:]
		closed.Close()
	}
	c.waiting = append(c.waiting, conn)
	return closed
}

// Remove removes a connection from the set. It returns false if Add has closed the connection to make room for
// another.
func (c *Connections) Remove(conn io.Closer) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for i, other := range c.waiting {
		if other == conn {
			c.waiting = append(c.waiting[:i:i], c.waiting[i+1:]...)
			return true
		}
	}
	return false
}
