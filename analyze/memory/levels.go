package memory

import "mtrace/analyze"

// Levels tracks how much memory each process has allocated during a run that is read slice by slice (in consecutive
// time ranges). Resources on a heap are part of the heap and are not counted again.
type Levels struct {
	living map[living]int64 // sizes in bytes
}

// living identifies an allocation that was not released yet, by process and number.
type living struct {
	process *analyze.Process
	object  uint32
}

// NewLevels returns a Levels for one run.
func NewLevels() *Levels { return &Levels{living: map[living]int64{}} }

// maxPlausibleSize is 1 PiB. A larger allocation can only come from a damaged trace, and is ignored.
const maxPlausibleSize = 1 << 50

// Each calls `change` for each allocation and each release in a slice (a time range of the run), in any order. Its
// arguments are the process, the time, and the number of bytes, which is negative for a release.
func (l *Levels) Each(s *analyze.Slice, change func(p *analyze.Process, at analyze.Nanos, bytes int64)) {
	for _, f := range s.Trace.Memory.Freed { // memory that was allocated in earlier slices
		key := living{f.Process, f.Object}
		if bytes, lives := l.living[key]; lives && s.Includes(f.At) {
			change(f.Process, f.At, -bytes)
			delete(l.living, key)
		}
	}
	for i := range s.Trace.Memory.Allocations {
		a := &s.Trace.Memory.Allocations[i]
		if a.Thread == nil || a.OnHeap || a.Bytes == 0 || a.Bytes > maxPlausibleSize || !s.Includes(a.At) {
			continue
		}
		p := a.Thread.Process
		change(p, a.At, int64(a.Bytes))
		switch {
		case a.Released > a.At && s.Includes(a.Released):
			change(p, a.Released, -int64(a.Bytes))
		case a.Object != 0:
			l.living[living{p, a.Object}] = int64(a.Bytes)
		}
	}
}
