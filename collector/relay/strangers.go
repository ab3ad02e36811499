package relay

import (
	"net"
	"sync"
)

// Strangers are connections whose other end has not proved yet that it knows the token. They have a few places of their own, and
// strangerPatience to prove it; when all places are taken, who has been there longest has to go. So a flood of strangers takes
// nothing from senders that are known, and one that comes gets in: it needs a place for some milliseconds only.
type strangers struct {
	places  int
	mutex   sync.Mutex
	waiting []net.Conn // in the order of their coming
}

// add gives a connection a place. It says whether another was closed for it.
func (s *strangers) add(conn net.Conn) (displaced net.Conn) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.waiting) == s.places {
		displaced = s.waiting[0]
		s.waiting = s.waiting[1:]
		displaced.Close()
	}
	s.waiting = append(s.waiting, conn)
	return displaced
}

// remove frees the connection's place. It is false when it had lost it already.
func (s *strangers) remove(conn net.Conn) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for i, c := range s.waiting {
		if c == conn {
			s.waiting = append(s.waiting[:i:i], s.waiting[i+1:]...)
			return true
		}
	}
	return false
}
