package diff

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/kernels"
	"mtrace/analyze/policy"
	"mtrace/analyze/report"
	"mtrace/analyze/steps"
)

// An overTime collects, for one run, the compared quantities together with the times at which they occurred: durations
// of calls, times between commits, GPU times of kernels. It accepts a whole trace, or a trace range by range.
type overTime struct {
	names   []string
	byCall  []*bins // the durations of each call, indexed by wire.Call
	run     bins
	threads map[threadKey]*bins
	kernels map[string]*bins
	last    map[threadKey]analyze.Nanos // last commit of each thread; the zero key has the last commit of any thread

	exclusive map[threadCall]analyze.Nanos // time in each thread's calls, without calls nested in them
	repeats   *steps.Sequences
}

type threadCall struct {
	thread   threadKey
	selector string
}

type threadKey struct {
	pid int
	tid analyze.ThreadID
}

// visit adds a call.
func (c *overTime) visit(v *analyze.VisitedCall) {
	if v.Unfinished {
		return
	}
	for int(v.ID) >= len(c.byCall) {
		c.byCall, c.names = append(c.byCall, nil), append(c.names, "")
	}
	if c.byCall[v.ID] == nil {
		c.byCall[v.ID], c.names[v.ID] = &bins{}, v.Row.Selector
	}
	c.byCall[v.ID].add(int64(v.Begin), float64(v.Length()))
}

// long measures a trace that is too long to be loaded as a whole: it loads the trace range by range.
func (c *overTime) long(f *analyze.File, path string) (*Run, error) {
	doc, _, err := report.BuildLong(f, analyze.Options{}, report.Options{})
	if err != nil {
		return nil, err
	}
	r := measured(path, doc)
	err = f.EachRange(analyze.Options{Visit: c.visit}, policy.RecordsAtOnce, func(part *analyze.Trace, _, _ int) error {
		c.add(part)
		return nil
	})
	c.give(r)
	return r, err
}

// add adds the command buffers of a trace, or of its next range. GPU work that spans two ranges counts only in the
// range in which it begins.
func (c *overTime) add(t *analyze.Trace) {
	if c.threads == nil {
		c.threads, c.kernels, c.last = map[threadKey]*bins{}, map[string]*bins{}, map[threadKey]analyze.Nanos{}
		c.exclusive, c.repeats = map[threadCall]analyze.Nanos{}, steps.NewSequences()
	}
	c.repeats.Add(t)
	for _, s := range t.Calls {
		for th, ns := range s.Exclusive {
			c.exclusive[threadCall{threadKey{th.Process.ID, th.ID}, s.Selector}] += ns
		}
	}
	c.commits(t)
	costs := kernels.CostsOf(t)
	for b := range t.Buffers() {
		if b.Committed.Known() && t.Began(b.GPU.Begin) {
			c.work(b, t.TimeRange, costs)
		}
	}
}

// commits adds the times between successive commits: of all threads together, and of each thread.
func (c *overTime) commits(t *analyze.Trace) {
	var committed []*analyze.CommandBuffer
	for b := range t.Buffers() {
		if b.Committed.Known() && t.Began(b.Committed.Begin) {
			committed = append(committed, b)
		}
	}
	slices.SortStableFunc(committed, func(a,
		b *analyze.CommandBuffer) int {
		return int(a.Committed.Begin - b.Committed.Begin)
	})
	for _, b := range committed {
		at := b.Committed.Begin
		c.since(threadKey{}, &c.run, at)
		if th := b.Committed.Thread; th != nil {
			key := threadKey{th.Process.ID, th.ID}
			if c.threads[key] == nil {
				c.threads[key] = &bins{}
			}
			c.since(key, c.threads[key], at)
		}
	}
}

// since adds the time since the previous commit of the thread `key`. For the zero key it adds the time since the
// previous commit of any thread.
func (c *overTime) since(key threadKey, to *bins, at analyze.Nanos) {
	if before, any := c.last[key]; any {
		to.add(int64(at), float64(at-before))
	}
	c.last[key] = at
}

// work adds the GPU time of each kernel of a command buffer, per dispatch. Work without dispatches, such as another
// channel of the same encoder, is added to the kernel that has the same name.
func (c *overTime) work(b *analyze.CommandBuffer, window analyze.Interval, costs *kernels.Costs) {
	shares := kernels.Split(b, window, costs)
	stages := map[string]analyze.Nanos{} // time on further channels of an encoder after its first
	for _, s := range shares {
		if s.Dispatches == 0 {
			stages[s.Name()] += s.GPU
		}
	}
	for _, s := range shares {
		if s.Dispatches > 0 {
			if c.kernels[s.Name()] == nil {
				c.kernels[s.Name()] = &bins{}
			}
			c.kernels[s.Name()].add(int64(b.GPU.Begin), float64(s.GPU+stages[s.Name()])/float64(s.Dispatches))
			delete(stages, s.Name())
		}
	}
}

// give stores the collected values over time in the measures of a run.
func (c *overTime) give(r *Run) {
	for id, b := range c.byCall {
		if b == nil {
			continue
		}
		if m := r.measure(KindCall, c.names[id]); m.bins == nil {
			m.bins = b
		} else { // several calls share a selector, such as setLabel: of queues and of encoders
			m.bins.merge(b)
		}
	}
	if c.run.width > 0 {
		r.measure(KindRun, wholeRun).bins = &c.run
	}
	c.tokens(r)
	c.submitting(r)
	names := threadNames(r.Report.Threads)
	for i := range r.Report.Threads {
		key := threadKey{r.Report.Threads[i].PID, analyze.ThreadID(r.Report.Threads[i].TID)}
		if b := c.threads[key]; b != nil && b.width > 0 {
			r.measure(KindThread, names[i]).bins = b
		}
	}
	for name, b := range c.kernels {
		if m := r.measures[Key{KindKernel, name}]; m != nil { // the report has a time of this kernel alone
			m.bins = b
		}
	}
}

// tokens stores in the run's measures how long each generated token of a language model took, with its GPU time and
// its idle time, at the token's end.
func (c *overTime) tokens(r *Run) {
	if r.measures[Key{KindToken, eachToken}] == nil || c.repeats == nil {
		return
	}
	of := map[string]*bins{eachToken: {}, tokenWork: {}, tokenIdle: {}}
	for _, p := range c.repeats.Phases() {
		for _, s := range p.Steps {
			if p.Kind == steps.Decode && !s.First {
				of[eachToken].add(int64(s.End), float64(s.Length()))
				of[tokenWork].add(int64(s.End), float64(s.GPU))
				of[tokenIdle].add(int64(s.End), float64(s.Idle))
			}
		}
	}
	for name, b := range of {
		if m := r.measures[Key{KindToken, name}]; m != nil && b.width > 0 {
			m.bins = b
		}
	}
}

// submitting sets the calls' time per command buffer. It counts only submitting threads: threads of a driver or of
// Metal wait in calls too, but that time costs the program nothing.
func (c *overTime) submitting(r *Run) {
	if len(c.exclusive) == 0 { // a recording without calls
		return
	}
	buffers := map[threadKey]int64{}
	var all int64
	for _, t := range r.Report.Threads {
		buffers[threadKey{t.PID, analyze.ThreadID(t.TID)}] = int64(t.CommandBuffers)
		all += int64(t.CommandBuffers)
	}
	for k, m := range r.measures {
		if k.Kind == KindCall {
			m.perBuffer = 0
		}
	}
	for call, ns := range c.exclusive {
		if m := r.measures[Key{KindCall, call.selector}]; m != nil && buffers[call.thread] > 0 {
			m.perBuffer += ratio(int64(ns), all)
		}
	}
}
