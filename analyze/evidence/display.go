package evidence

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Display has the threads that the display paces: they wait in nextDrawable until the display has shown a frame. Such a
// thread is not faster if its GPU work is, because the display shows frames at its own pace.
type Display map[*analyze.Thread]*DisplayPace

// A DisplayPace tells how the display paces one thread.
type DisplayPace struct {
	Frame analyze.Nanos // median time between returns of consecutive calls that waited for the display
	Calls []DisplayCall // the thread's calls of nextDrawable, in order of time
}

// A DisplayCall is one call of nextDrawable.
type DisplayCall struct {
	analyze.Interval
	Before  analyze.Nanos // the end of the thread's previous call of nextDrawable; 0 if there is none
	Waited  bool          // the call blocked
	Display bool          // the call waited for the display: when it returned, the thread's GPU work was done

	first, last analyze.Nanos // the first and last commit since the previous call; 0 if there is none
}

// FindDisplay returns the threads that the display paces: most of their calls of nextDrawable wait for the display. If
// the GPU still works on earlier frames when such a call returns, the GPU may be slower than the display.
func FindDisplay(t *analyze.Trace) Display {
	if len(t.CPUWaits.Drawables) == 0 {
		return nil
	}
	paces := Display{}
	for c := range analyze.Each(t.CPUWaits.Drawables) {
		if c.Thread == nil || !c.Known() {
			continue
		}
		p := paces[c.Thread]
		if p == nil {
			p = &DisplayPace{}
			paces[c.Thread] = p
		}
		call := DisplayCall{Interval: c.Interval, Waited: c.Length() > policy.LongestHandOff.Nanos()}
		if n := len(p.Calls); n > 0 {
			call.Before = p.Calls[n-1].End
		}
		p.Calls = append(p.Calls, call)
	}
	work := map[*analyze.Thread][]*analyze.CommandBuffer{}
	var all []*analyze.CommandBuffer
	for b := range t.Buffers() {
		if b.GPU.Known() {
			work[b.Committed.Thread], all = append(work[b.Committed.Thread], b), append(all, b)
		}
	}
	for thread, p := range paces {
		own := work[thread]
		if len(own) == 0 { // other threads commit the frames
			own = all
		}
		slices.SortStableFunc(own, func(x, y *analyze.CommandBuffer) int {
			return cmp.Compare(x.Committed.Begin, y.Committed.Begin)
		})
		if !p.find(own) {
			delete(paces, thread)
		}
	}
	return paces
}

// find determines which calls of nextDrawable waited for the display (DisplayCall.Display), and the median time between
// them (Frame). It returns true if the display paces the thread. `work` has the command buffers that the thread
// committed; if it committed none, `work` has the command buffers of all threads.
func (p *DisplayPace) find(work []*analyze.CommandBuffer) bool {
	var between []analyze.Nanos
	var completed, took analyze.Nanos // the last GPU end, and the sum of the GPU times
	committed, waited := 0, 0
	for i := range p.Calls {
		c := &p.Calls[i]
		for committed < len(work) && work[committed].Committed.Begin < c.Begin {
			completed = max(completed, work[committed].GPU.End)
			took += work[committed].GPU.Length()
			c.last = work[committed].Committed.Begin
			c.first = cmp.Or(c.first, c.last)
			committed++
		}
		if c.Display = c.Waited && completed <= c.End; !c.Display {
			continue
		}
		if waited++; i > 0 && p.Calls[i-1].Display {
			between = append(between, c.End-c.Before)
		}
	}
	if len(between) < policy.FewestOccurrences.Count() ||
		!policy.AtLeast(policy.Majority, waited, len(p.Calls)) {
		return false
	}
	p.Frame = Median(between)
	// A layer with two drawables shows no frame while the GPU works on the only other one. Its calls then return after a
	// whole number of the display's frames, and only if the GPU needs less than half of the time is that one frame.
	return !p.twoDrawables() || 2*took <= p.Frame*analyze.Nanos(len(p.Calls))
}

// twoDrawables reports whether the thread's layer seems to have two drawables, not three. In the layer's first frames,
// the third call then waits. Later, pauses in which the display shows all earlier frames reveal the number. If the
// trace has neither, the layer is assumed to have three drawables, which is the default.
func (p *DisplayPace) twoDrawables() bool {
	if len(p.Calls) > 2 && !p.Calls[0].Waited && !p.Calls[1].Waited {
		return p.Calls[2].Waited
	}
	two, pauses := 0, 0
	pause := policy.DisplayPause * p.Frame
	for i := 1; i < len(p.Calls); i++ {
		c := &p.Calls[i]
		switch {
		case c.first == 0:
			continue
		case c.first-c.Before >= pause: // before the commit: one drawable is shown, one is drawn, a third one is free
		case c.Begin-c.last >= pause && !c.Waited && i+1 < len(p.Calls): // after it: one is shown, the call gets another
			c = &p.Calls[i+1]
		default:
			continue
		}
		if pauses++; c.Waited {
			two++
		}
	}
	return policy.MoreThan(policy.Majority, two, pauses)
}

// Paces reports whether the display paces all threads of the list.
func (d Display) Paces(threads []*ThreadTime) bool {
	for _, t := range threads {
		if d[t.Thread] == nil {
			return false
		}
	}
	return len(threads) > 0
}
