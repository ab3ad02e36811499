package analyze

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// compilerPrograms are programs that do nothing but compile for Metal. Apple's system protection prevents tracing
// them, so a wait for such a child process counts as compilation as a whole.
var compilerPrograms = []string{"metal", "metallib", "metal-tt", "metal-as", "metal-ar", "metal-lib", "air-opt",
	"air-lld", "air-link", "air-as", "xcrun", "MTLCompilerService"}

// compiles reports whether the first word of a command line is one of compilerPrograms.
func compiles(command string) bool {
	words := strings.Fields(command)
	return len(words) > 0 && slices.Contains(compilerPrograms, filepath.Base(words[0]))
}

// A family is a group of processes, for instance all descendants of one process. It holds their compilations, sorted
// by begin.
type family struct {
	compilations []Interval
	ends         []Nanos    // the ends of the compilations, ascending
	busy         []Interval // the times in which at least one compilation was in progress
}

// within returns how long at least one compilation of the family was in progress during i.
func (f *family) within(i Interval) (sum Nanos) {
	first, _ := slices.BinarySearchFunc(f.busy, i.Begin,
		func(b Interval, at Nanos) int { return cmp.Compare(b.End, at) })
	for _, b := range f.busy[first:] {
		if b.Begin >= i.End {
			break
		}
		sum += Interval{max(b.Begin, i.Begin), min(b.End, i.End)}.Length()
	}
	return sum
}

// endsIn reports whether a compilation of the family ended during the interval `i`. Otherwise a wait that lasted for
// i cannot have been a wait for one of these compilations.
func (f *family) endsIn(i Interval) bool {
	n, _ := slices.BinarySearch(f.ends, i.Begin+1)
	return n < len(f.ends) && f.ends[n] <= i.End
}

func (f *family) finish() {
	sortUnlessSorted(f.compilations, func(a, b *Interval) int { return cmp.Compare(a.Begin, b.Begin) })
	for _, c := range f.compilations {
		f.ends = append(f.ends, c.End)
		if n := len(f.busy); n > 0 && c.Begin <= f.busy[n-1].End {
			f.busy[n-1].End = max(f.busy[n-1].End, c.End)
		} else {
			f.busy = append(f.busy, c)
		}
	}
	slices.Sort(f.ends)
}

// parentsOf maps each process to its parent process, if the parent is in the trace. Process IDs can be reused, so
// among several processes with the parent's ID it chooses the last one that precedes the child in the file.
func parentsOf(t *Trace) map[*Process]*Process {
	of := map[*Process]*Process{}
	for _, p := range t.Processes {
		for _, other := range t.Processes {
			if other != p && p.Parent != 0 && other.ID == p.Parent && (of[p] == nil || other.place > of[p].place &&
				other.place < p.place) {
				of[p] = other
			}
		}
	}
	return of
}

// familiesOf returns two families (groups of compilations) for each process: children has the compilations of its
// descendants, whole has these and the process's own.
func familiesOf(t *Trace) (children, whole map[*Process]*family) {
	children, whole = map[*Process]*family{}, map[*Process]*family{}
	parents := parentsOf(t)
	if len(parents) == 0 {
		return children, whole
	}
	add := func(to map[*Process]*family, p *Process, i Interval) {
		if to[p] == nil {
			to[p] = &family{}
		}
		to[p].compilations = append(to[p].compilations, i)
	}
	for i := range t.Compilations {
		c := &t.Compilations[i]
		if c.Thread == nil || c.Thread.Process == nil {
			continue
		}
		add(whole, c.Thread.Process, c.Interval)
		for p, n := parents[c.Thread.Process], 0; p != nil && n < len(t.Processes); p, n = parents[p], n+1 {
			add(children, p, c.Interval)
			add(whole, p, c.Interval)
		}
	}
	for _, all := range []map[*Process]*family{children, whole} {
		for _, f := range all {
			f.finish()
		}
	}
	return children, whole
}

// findChildWaits finds the threads that waited for compiling child processes and fills CPUWaits.Children. If
// compilation took at least half of such a wait, the wait becomes a compilation of the waiting thread. It is removed
// from the waits for signals, so that its time does not count twice.
func findChildWaits(t *Trace) {
	children, whole := familiesOf(t)
	byID := map[int]*Process{}
	for _, p := range t.Processes {
		byID[p.ID] = p
	}
	works := workersOf(t)
	t.CPUWaits.Signals = slices.DeleteFunc(t.CPUWaits.Signals, func(w SignalWait) bool {
		c, is := childWaitOf(&w, children, whole, byID, works)
		if is {
			t.CPUWaits.Children = append(t.CPUWaits.Children, c)
		}
		return c.Mostly
	})
	blockedElsewhere(t, children, works)
	sortUnlessSorted(t.CPUWaits.Children, func(a, b *ChildWait) int { return byBegin(&a.Call, &b.Call) })
	for i := range t.CPUWaits.Children {
		if c := &t.CPUWaits.Children[i]; c.Mostly {
			t.Compilations = append(t.Compilations, Compilation{Call: c.Call, Selector: c.How, Kind: KindChildren})
			c.Thread.spend(c.Interval)
		}
	}
	sortUnlessSorted(t.Compilations, func(a, b *Compilation) int { return byBegin(&a.Call, &b.Call) })
}

// childWaitOf converts a wait for a signal or a process into a ChildWait, if the thread waited for compiling
// children; otherwise it returns false. A wait for a signal must meet two conditions: a compilation ended during the
// wait, and the thread also does other work. Without these conditions, idle threads of thread pools, which always
// wait for signals, would count as waiting for a compiler.
func childWaitOf(w *SignalWait, children, whole map[*Process]*family, byID map[int]*Process, works map[*Thread]bool) (
	c ChildWait, is bool) {
	if w.Thread == nil || w.Length() == 0 || !w.ForProcess && !works[w.Thread] {
		return c, false
	}
	f := children[w.Thread.Process]
	if child := byID[w.Child]; w.ForProcess && w.Child != 0 && child != nil {
		f = whole[child]
	}
	c = ChildWait{Call: w.Call, How: w.Selector}
	if w.ForProcess {
		c.Program, c.Child = w.Name, w.Child
		if compiles(w.Name) {
			c.Compiled = w.Length()
		}
	}
	if c.Compiled == 0 && f != nil && f.endsIn(w.Interval) {
		c.Compiled = f.within(w.Interval)
	}
	c.Mostly = 2*c.Compiled >= c.Length()
	return c, c.Compiled > 0
}

// workersOf returns the threads that do more than wait for signals: they submit work, wait for the GPU, or compile.
func workersOf(t *Trace) map[*Thread]bool {
	works := map[*Thread]bool{}
	for _, th := range t.Threads {
		works[th] = th.Submits
	}
	for b := range t.Buffers() {
		works[b.Committed.Thread] = true
	}
	for i := range t.Waits {
		works[t.Waits[i].Thread] = true
	}
	for i := range t.Compilations {
		works[t.Compilations[i].Thread] = true
	}
	return works
}

// blockedElsewhere adds a ChildWait for each time in which a working thread was blocked while child processes
// compiled, but made no recorded call: it used a processor for at most half of the time. Such a thread typically
// reads the compiler's output from a pipe.
func blockedElsewhere(t *Trace, children map[*Process]*family, works map[*Thread]bool) {
	calls := map[*Thread][]Interval{}
	for _, th := range t.Threads {
		if works[th] && children[th.Process] != nil {
			calls[th] = nil
		}
	}
	if len(calls) == 0 {
		return
	}
	add := func(c *Call) {
		if list, of := calls[c.Thread]; of && c.Known() {
			calls[c.Thread] = append(list, c.Interval)
		}
	}
	for b := range t.Buffers() {
		add(&b.Created)
		add(&b.Committed)
		for i := range b.Encoders {
			add(&b.Encoders[i].Created)
			add(&b.Encoders[i].Ended)
		}
	}
	for i := range t.Waits {
		add(&t.Waits[i].Call)
	}
	for i := range t.CPUWaits.Locks {
		add(&t.CPUWaits.Locks[i].Call)
	}
	for i := range t.CPUWaits.Signals {
		add(&t.CPUWaits.Signals[i].Call)
	}
	for i := range t.CPUWaits.Children {
		add(&t.CPUWaits.Children[i].Call)
	}
	for i := range t.Compilations {
		add(&t.Compilations[i].Call)
	}
	for _, th := range t.Threads {
		if list, of := calls[th]; of {
			t.CPUWaits.Children = append(t.CPUWaits.Children, blockedBetween(th, list, children[th.Process])...)
		}
	}
}

// blockedBetween returns the gaps between the thread's calls that count as waiting for compilation: for at least half
// of the gap the thread was blocked, and for at least half of it children compiled.
func blockedBetween(th *Thread, calls []Interval, f *family) (found []ChildWait) {
	slices.SortFunc(calls, func(a, b Interval) int { return cmp.Compare(a.Begin, b.Begin) })
	from := th.Active.Begin
	for _, c := range append(calls, Interval{th.Active.End, th.Active.End}) {
		gap := Interval{from, c.Begin}
		from = max(from, c.End)
		if gap.Length() == 0 || !f.endsIn(gap) {
			continue
		}
		compiled := f.within(gap)
		if asleep := th.asleepIn(gap); 2*compiled >= gap.Length() && 2*asleep >= gap.Length() {
			found = append(found, ChildWait{Call: Call{Interval: gap, Thread: th}, How: BlockedElsewhere,
				Compiled: compiled, Mostly: true})
		}
	}
	return found
}

// asleepIn returns a lower bound of the time during i in which the thread did not run. CPU samples show how long a
// thread ran between two samples. If the time between two samples extends beyond i, all of its running time is
// assumed to lie in `i`.
func (t *Thread) asleepIn(i Interval) (sum Nanos) {
	first, _ := slices.BinarySearchFunc(t.CPU, i.Begin,
		func(s CPUSample, at Nanos) int { return cmp.Compare(s.At, at) })
	for n := max(first, 1); n < len(t.CPU) && t.CPU[n-1].At < i.End; n++ {
		a, b := t.CPU[n-1], t.CPU[n]
		if b.At > a.At && b.Ran >= a.Ran {
			sum += max(0, Interval{max(a.At, i.Begin), min(b.At, i.End)}.Length()-(b.Ran-a.Ran))
		}
	}
	return sum
}

// spend counts the time i as compilation; i lies between the thread's recorded calls.
func (t *Thread) spend(i Interval) {
	t.Exclusive[PartCompile] += Interval{max(i.Begin, t.Active.Begin), min(i.End, t.Active.End)}.Length()
	t.WorkingExclusive[PartCompile] += Interval{max(i.Begin, t.Working.Begin), min(i.End, t.Working.End)}.Length()
}
