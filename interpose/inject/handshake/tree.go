package handshake

import "slices"

// Tree collects the processes of a running program by listing the system's processes at intervals. A process that
// lives shorter than an interval may be missed.
type Tree struct {
	root int
	seen []Process
	list func() ([]Process, error) // every process of the system
}

// NewTree returns a Tree that follows the process root and all its descendants.
func NewTree(root int) *Tree { return &Tree{root: root, list: allProcesses} }

// Look lists the system's processes once and adds the program's processes to the tree. A process that has executed
// another program since the last call is listed twice. On Linux a call costs about 10 µs per process of the system.
func (t *Tree) Look() error {
	all, err := t.list()
	if err != nil {
		return err
	}
	inTree := map[int]bool{t.root: true}
	for _, p := range t.seen {
		inTree[p.PID] = true
	}
	for grew := true; grew; {
		grew = false
		for _, p := range all {
			if !inTree[p.PID] && inTree[p.Parent] {
				inTree[p.PID], grew = true, true
			}
		}
	}
	for _, p := range all {
		if !inTree[p.PID] {
			continue
		}
		p.Program = executable(p.PID)
		if !slices.ContainsFunc(t.seen, func(q Process) bool { return q.PID == p.PID && q.Program == p.Program }) {
			t.seen = append(t.seen, p)
		}
	}
	return nil
}

// Processes returns the processes found so far, in the order of discovery. The caller must fill in Hello and Metal.
func (t *Tree) Processes() []Process { return slices.Clone(t.seen) }
