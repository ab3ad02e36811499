package summary

import (
	"mtrace/analyze/xctrace"
)

// Rows are the rows of a recording that a filter lets through.
type Rows struct{ scope *scope }

// Select applies a filter to a recording.
func Select(r *xctrace.Recording, f Filter) (*Rows, error) {
	s, err := newScope(r, f)
	if err != nil {
		return nil, err
	}
	return &Rows{s}, nil
}

// Work is one GPU interval of the subject, in the window.
type Work struct {
	*xctrace.GPUInterval
	Length Nanos // the part in the window
	First  bool  // of its command buffer
	Thread xctrace.ThreadIndex
	Commit Nanos // 0 when not known
}

// GPU calls f for each GPU interval of the subject, by start.
func (r *Rows) GPU(f func(Work)) {
	s := r.scope
	order := s.byStart()
	buffers := s.buffers(order)
	seen := map[xctrace.BufferID]bool{}
	for _, i := range order {
		g := &s.Recording.GPU[i]
		begin, end, ok := s.clip(g.Start, g.Duration)
		if !ok || !s.own(g.Process) {
			continue
		}
		w := Work{GPUInterval: g, Length: end - begin, First: g.CommandBuffer == 0 || !seen[g.CommandBuffer]}
		seen[g.CommandBuffer] = true
		if b := buffers[g.CommandBuffer]; b != nil {
			w.Thread, w.Commit = b.submission.Thread, b.submission.Start+b.submission.Duration
		}
		f(w)
	}
}

// Samples calls f for each CPU sample of the subject in the window: of
// time-profile or cpu-profile where they are, else of time-sample, which is
// where they come from.
func (r *Rows) Samples(f func(*xctrace.CPUSample)) {
	s := r.scope
	best := ""
	for i := range s.Recording.Samples {
		if x := s.Recording.Samples[i].Schema; best == "" || best == "time-sample" {
			best = x
		}
	}
	for i := range s.Recording.Samples {
		x := &s.Recording.Samples[i]
		process := x.Process
		if process == 0 {
			process = s.Threads[x.Thread].Process
		}
		if x.Schema == best && x.Stack != 0 && s.inside(x.Time) && s.own(process) {
			f(x)
		}
	}
}

// Window is the window of the rows.
func (r *Rows) Window() (from, to Nanos) { return r.scope.from, r.scope.to }
