// Package unproven limits connections whose other end has not proved yet that it knows a token.
package unproven

import (
	"io"
	"sync"
)

// Connections are those that have proved nothing yet. They have a few places of their own; when all places are taken,
// the oldest connection is closed. So a flood of them takes no descriptors from connections that are known, and a peer
// that knows the token gets through: it needs a place for some milliseconds only.
type Connections struct {
	places  int
	mutex   sync.Mutex
	waiting []io.Closer // oldest first
}

// New returns an empty set with that many places.
func New(places int) *Connections { return &Connections{places: places} }

// Add gives a connection a place. It returns the connection that was closed for it; nil when there was room.
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

// Remove frees the connection's place. It returns false when the connection was closed for another.
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
