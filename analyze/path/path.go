// Package path finds the critical path of a run, from its end back to its beginning, and chains of waits. Verdicts do
// not use it.
package path

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// The kinds of work and waits that a critical path consists of.
const (
	Program    = "program"    // a thread outside of Metal, or encoding
	Compile    = "compile"    // a thread compiling
	GPU        = "gpu"        // work on the GPU
	Scheduling = "scheduling" // from commit, or from when the GPU was free, to the begin of the work
	Notify     = "notify"     // from the GPU's end to the return of the wait
	Holding    = "holding"    // another thread holds the lock that the path's thread waits for
	Lock       = "lock"       // a lock whose holder is not known
	Signal     = "signal"     // from a signal to the return of the wait for it
	Display    = "display"    // the display shows a frame
	Unknown    = "unknown"    // a wait whose target is not known
)

// A Part is the time on the critical path that one kind of work by one thread took.
type Part struct {
	What   string
	Thread *analyze.Thread // the thread that the work belongs to; nil if not known
	Time   analyze.Nanos
}

// A Path is the critical path: the chain of work and waits from the end of the run back to its beginning. The times
// of its parts add up to Length. Only shortening one of the parts makes the run shorter.
type Path struct {
	Length analyze.Nanos
	Parts  []Part // sorted by time, longest first
	Steps  int
}

// Waits has the critical path of a run and its longest chains of waits.
type Waits struct {
	Path   Path
	Chains []Chain
}

// Find computes the critical path and the chains of waits. Both are empty if the source of the trace does not record
// waits.
func Find(ev *evidence.Evidence) Waits {
	if !ev.Trace.Source.HasWaits() {
		return Waits{}
	}
	blocks := blocksOf(ev)
	return Waits{critical(ev, blocks), chains(ev, blocks)}
}

func id(t *analyze.Thread) uint64 {
	if t == nil {
		return 0
	}
	return uint64(t.ID)
}

// critical walks back from the end of the run and returns the critical path. The run ends with the GPU's last work, or
// when the last submitting thread stopped working, whichever is later.
func critical(ev *evidence.Evidence, blocks map[*analyze.Thread][]block) Path {
	var thread *analyze.Thread
	var from, to analyze.Nanos
	for _, t := range ev.Submitters.Taking {
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
	w := &walker{Evidence: ev, blocks: blocks, parts: map[Part]analyze.Nanos{}, at: to}
	w.index()
	if last := w.gpu.last; last != nil && last.GPU.End > to && last.Committed.Thread != nil {
		to = min(last.GPU.End, ev.Trace.TimeRange.End)
		w.at = to
		thread = w.alongGPU(thread, last)
	}
	for stuck := 0; thread != nil && w.steps < policy.MostPathSteps; {
		before := w.at
		next := w.back(thread)
		if stuck++; w.at < before {
			stuck = 0
		}
		// The walk came back to this instant too often: threads seem to wait for each other in a circle. Move back in
		// time, otherwise the walk would never end.
		if stuck > policy.MostSimultaneousHandOffs && next != nil {
			until := w.at - 1
			if b := lastBlock(w.blocks[next], w.at); b != nil {
				until = min(until, b.Begin)
			}
			w.spend(Unknown, next, until)
		}
		thread = next
	}
	from = w.at
	p := Path{Length: to - from, Steps: w.steps}
	for part, n := range w.parts {
		part.Time = n
		p.Parts = append(p.Parts, part)
	}
	slices.SortFunc(p.Parts, func(x, y Part) int {
		return cmp.Or(cmp.Compare(y.Time, x.Time), cmp.Compare(x.What, y.What), cmp.Compare(id(x.Thread), id(y.Thread)))
	})
	return p
}
