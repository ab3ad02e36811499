package diff

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/kernels"
	"mtrace/analyze/policy"
	"mtrace/analyze/report"
)

// An overTime is how what is compared went over time: durations of calls, times between commits, GPU times of kernels.
// It takes a trace as one, or part by part.
type overTime struct {
	names   []string
	byCall  []*bins // by wire.Call
	run     bins
	threads map[threadKey]*bins
	kernels map[string]*bins
	last    map[threadKey]analyze.Nanos // commit of each thread; of any of them at the zero key
}

type threadKey struct {
	pid int
	tid analyze.ThreadID
}

// visit takes in a call.
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

// long is the run of a trace that is too long to be looked at as one.
func (c *overTime) long(f *analyze.File, path string) (*Run, error) {
	doc, _, err := report.BuildLong(f, analyze.Options{}, report.Options{}, nil)
	if err != nil {
		return nil, err
	}
	r := measured(path, doc)
	err = f.EachPart(analyze.Options{Visit: c.visit}, policy.RecordsAtOnce, func(part *analyze.Trace, _, _ int) error {
		c.add(part)
		return nil
	})
	c.give(r)
	return r, err
}

// add takes in the command buffers of a trace, or of its next part: what began in it, as far as it is in its window.
func (c *overTime) add(t *analyze.Trace) {
	if c.threads == nil {
		c.threads, c.kernels, c.last = map[threadKey]*bins{}, map[string]*bins{}, map[threadKey]analyze.Nanos{}
	}
	c.commits(t)
	costs := kernels.CostsOf(t)
	for b := range t.Buffers() {
		if b.Committed.Known() && t.Began(b.GPU.Begin) {
			c.work(b, t.Window, costs)
		}
	}
}

// commits takes in the times from one commit to the next: of all, and of each thread.
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

// since adds the time since the last commit.
func (c *overTime) since(key threadKey, to *bins, at analyze.Nanos) {
	if before, any := c.last[key]; any {
		to.add(int64(at), float64(at-before))
	}
	c.last[key] = at
}

// work takes in what the GPU did of a command buffer.
func (c *overTime) work(b *analyze.CommandBuffer, window analyze.Interval, costs *kernels.Costs) {
	shares := kernels.Split(b, window, costs)
	stages := map[string]analyze.Nanos{} // what an encoder ran on after its first channel
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

// give gives a run's measures their courses.
func (c *overTime) give(r *Run) {
	for id, b := range c.byCall {
		if b == nil {
			continue
		}
		if m := r.measure(KindCall, c.names[id]); m.bins == nil {
			m.bins = b
		} else { // two rows of the table have one selector: setLabel: of a queue and of an encoder
			m.bins.merge(b)
		}
	}
	if c.run.width > 0 {
		r.measure(KindRun, wholeRun).bins = &c.run
	}
	names := threadNames(r.Report.Threads)
	for i := range r.Report.Threads {
		key := threadKey{r.Report.Threads[i].PID, analyze.ThreadID(r.Report.Threads[i].TID)}
		if b := c.threads[key]; b != nil && b.width > 0 {
			r.measure(KindThread, names[i]).bins = b
		}
	}
	for name, b := range c.kernels {
		if m := r.measures[Key{KindKernel, name}]; m != nil { // its cost is identified
			m.bins = b
		}
	}
}
