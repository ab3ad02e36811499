package memory

import "mtrace/analyze"

// Levels say how what each process has allocated changes over a run that is read slice by slice. What is on a heap is
// the heap's, and not counted twice.
type Levels struct {
	living map[living]int64 // bytes of what was not released yet
}

// living is memory that was not released yet.
type living struct {
	process *analyze.Process
	object  uint32
}

// NewLevels is for one run.
func NewLevels() *Levels { return &Levels{living: map[living]int64{}} }

// absurd is a size that no allocation has, but of a damaged trace.
const absurd = 1 << 50

// Each calls change with each change in a slice, in no order.
func (l *Levels) Each(s *analyze.Slice, change func(p *analyze.Process, at analyze.Nanos, bytes int64)) {
	for _, f := range s.Trace.Memory.Freed { // of what was made in earlier slices
		key := living{f.Process, f.Object}
		if bytes, lives := l.living[key]; lives && s.Held(f.At) {
			change(f.Process, f.At, -bytes)
			delete(l.living, key)
		}
	}
	for i := range s.Trace.Memory.Allocations {
		a := &s.Trace.Memory.Allocations[i]
		if a.Thread == nil || a.OnHeap || a.Bytes == 0 || a.Bytes > absurd || !s.Held(a.At) {
			continue
		}
		p := a.Thread.Process
		change(p, a.At, int64(a.Bytes))
		switch {
		case a.Released > a.At && s.Held(a.Released):
			change(p, a.Released, -int64(a.Bytes))
		case a.Object != 0:
			l.living[living{p, a.Object}] = int64(a.Bytes)
		}
	}
}
