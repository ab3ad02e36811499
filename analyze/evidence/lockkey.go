package evidence

import (
	"cmp"
	"fmt"
	"strings"

	"mtrace/analyze"
)

// LockKey tells locks apart.
type LockKey struct {
	process *analyze.Process
	address uint64
	name    string
}

// Compare puts locks in an order that is the same in every analysis.
func (k LockKey) Compare(o LockKey) int {
	pid := func(p *analyze.Process) int64 {
		if p == nil {
			return -1
		}
		return int64(p.ID)
	}
	return cmp.Or(cmp.Compare(k.address, o.address), strings.Compare(k.name, o.name), cmp.Compare(pid(k.process), pid(o.process)))
}

// KeyOf is the lock that a thread waited for. The mutex and the condition variables that an interpreter's lock is made of are one lock.
func KeyOf(l *analyze.LockWait) LockKey {
	if l.OfInterpreter() {
		return LockKey{l.Thread.Process, 0, l.Name}
	}
	return LockKey{l.Thread.Process, l.Lock, l.Name}
}

// Label is the lock's name, or its address.
func (k LockKey) Label() string { return cmp.Or(k.name, fmt.Sprintf("%#x", k.address)) }
