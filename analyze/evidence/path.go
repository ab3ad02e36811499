package evidence

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// What a critical path is made of.
const (
	PathProgram    = "program"    // a thread outside of Metal, or encoding
	PathCompile    = "compile"    // a thread compiling
	PathGPU        = "gpu"        // work on the GPU
	PathScheduling = "scheduling" // from commit, or from when the GPU was free, to the beginning of the work
	PathNotify     = "notify"     // from the GPU's end to the return of the wait
	PathHolding    = "holding"    // a thread that had the lock that another waited for
	PathLock       = "lock"       // a lock whose holder is not known
	PathSignal     = "signal"     // from a signal to the return of the wait for it
	PathUnknown    = "unknown"    // a wait of which it is not known what for
)

// A PathPart is the time that one kind of thing, of one thread, takes of the critical path.
type PathPart struct {
	What   string
	Thread *analyze.Thread // whose work it is; nil when not known
	Time   analyze.Nanos
}

// A Path is the critical path: the chain of what waited for what, from the last thing that the threads did back to the first.
// Its parts add up to Length. To make the run shorter, something on it must become shorter.
type Path struct {
	Length analyze.Nanos
	Parts  []PathPart // the longest first
	Steps  int
}

// criticalPath walks back from the end of the thread that worked longest.
func (ev *Evidence) criticalPath() Path {
	var thread *analyze.Thread
	var from, to analyze.Nanos
	for _, t := range ev.Taking {
		end := t.Thread.Working.End
		if end == 0 {
			end = t.Thread.Active.End
		}
		if thread == nil || end > to {
			thread, to = t.Thread, end
		}
	}
	if thread == nil {
		return Path{}
	}
	w := &walker{Evidence: ev, blocks: ev.blocks(), parts: map[PathPart]analyze.Nanos{}, at: to}
	w.index()
	for stuck := 0; thread != nil && w.steps < policy.MostSteps; {
		before := w.at
		next := w.back(thread)
		if stuck++; w.at < before {
			stuck = 0
		}
		if stuck > policy.MostHandOffs && next != nil { // threads that wait for each other: nothing explains it
			until := w.at - 1
			if b := lastBlock(w.blocks[next], w.at); b != nil {
				until = min(until, b.Begin)
			}
			w.spend(PathUnknown, next, until)
		}
		thread = next
	}
	from = w.at
	p := Path{Length: to - from, Steps: w.steps}
	for part, n := range w.parts {
		part.Time = n
		p.Parts = append(p.Parts, part)
	}
	slices.SortFunc(p.Parts, func(x, y PathPart) int {
		return cmp.Or(cmp.Compare(y.Time, x.Time), cmp.Compare(x.What, y.What), cmp.Compare(id(x.Thread), id(y.Thread)))
	})
	return p
}
