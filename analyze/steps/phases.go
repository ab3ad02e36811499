package steps

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A loop is a range of a queue's command buffers that consists of equal steps, perhaps with a few other command
// buffers in between.
type loop struct {
	row
	dispatches, threads float64 // per step
	kernels             []uint64
}

// phases finds the loops (repeated equal steps) among the queue's command buffers, and the language model's prompts
// before them.
func (s *sequence) phases(id QueueID) []Phase {
	slices.SortStableFunc(s.of, func(a, b buffer) int { return cmp.Compare(a.gpu.Begin, b.gpu.Begin) })
	var loops []loop
	for _, r := range rows(s.of) {
		if r = r.align(s.of); r.steps() < policy.StepsRepeated {
			continue
		}
		l := s.loop(r)
		if n := len(loops); n > 0 && s.continues(&loops[n-1], &l) {
			loops[n-1].to = l.to
			continue
		}
		loops = append(loops, l)
	}
	var out []Phase
	before := 0
	for i := range loops {
		l := &loops[i]
		kind := Loop
		if i > 0 && out[len(out)-1].Kind == Loop && l.from-loops[i-1].to <= l.period && l.follows(&loops[i-1]) {
			out[len(out)-1].Kind, kind = Prompt, Decode // the previous loop was a prompt, processed in many steps
		}
		if prompt, ok := s.prompt(id, before, l); ok {
			out, kind = append(out, prompt), Decode
		}
		p := s.phase(id, kind, l.from, l.to, l.period)
		if kind == Decode {
			p.after(out[len(out)-1].End, &s.of[l.from])
		}
		out, before = append(out, p), l.to
	}
	return out
}

// loop returns the loop that consists of the repeating range r of command buffers. Its amount of work is that of the
// first step.
func (s *sequence) loop(r row) loop {
	l := loop{row: r}
	l.dispatches, l.threads, l.kernels = s.sum(r.from, r.from+r.period)
	return l
}

// sum returns the numbers of dispatches and threads, and the kernels, of the command buffers s.of[from:to].
func (s *sequence) sum(from, to int) (dispatches, threads float64, kernels []uint64) {
	for _, b := range s.of[from:to] {
		dispatches += float64(b.dispatches)
		threads += b.threads
		for _, kernel := range s.sets[b.signature] {
			if !slices.Contains(kernels, kernel) {
				kernels = append(kernels, kernel)
			}
		}
	}
	return dispatches, threads, kernels
}

// within reports whether the two amounts differ by at most the given factor.
func within(a, b, factor float64) bool { return a <= b*factor && b <= a*factor }

// continues reports whether the repeating range `next` is the same loop as l after a short interruption, so that both
// become one loop. Their steps must have the same number of command buffers and about equally much work. The
// interruption must not have more command buffers, or many more GPU threads, than one step.
func (s *sequence) continues(l, next *loop) bool {
	_, between, _ := s.sum(l.to, next.from)
	return next.from-l.to <= l.period && next.period == l.period &&
		within(l.dispatches, next.dispatches, policy.PromptDispatches) &&
		within(l.threads, next.threads, policy.StepDrift) && between <= policy.StepDrift*l.threads
}

// follows reports whether the loop generates tokens after a prompt of a language model. A prompt runs the same
// kernels as a token, but with many times its threads.
func (l *loop) follows(prompt *loop) bool {
	common := 0
	for _, kernel := range l.kernels {
		if slices.Contains(prompt.kernels, kernel) {
			common++
		}
	}
	return l.threads > 0 && prompt.threads >= policy.PromptThreads*l.threads &&
		within(prompt.dispatches, l.dispatches, policy.PromptDispatches) &&
		float64(common) >= policy.PromptKernels*float64(len(l.kernels))
}

// prompt finds the prompt of a language model directly before loop l, and not before the index `from`. It groups
// command buffers into steps with about as many dispatches as a step of the loop, but many more threads.
func (s *sequence) prompt(id QueueID, from int, l *loop) (Phase, bool) {
	first, period := l.from, 0
	if l.threads == 0 || l.dispatches == 0 {
		return Phase{}, false // without dispatches and threads the size of a step is not known
	}
	for end := l.from; end > from; end = first {
		at, sum := end, 0.0
		for at > from && sum*policy.PromptDispatches < l.dispatches {
			at--
			sum += float64(s.of[at].dispatches)
		}
		// Extend the step to the number of command buffers of a step of the loop, as long as its number of dispatches
		// stays similar.
		for best := at; best > from && end-best < l.period; {
			best--
			if sum += float64(s.of[best].dispatches); !within(sum, l.dispatches, policy.PromptDispatches) {
				break
			}
			at = best
		}
		step := s.loop(row{from: at, to: end, period: end - at})
		if !l.follows(&step) {
			break
		}
		first, period = at, max(period, end-at)
	}
	if first == l.from {
		return Phase{}, false
	}
	return s.phase(id, Prompt, first, l.from, period), true
}

// after moves the begin of the phase's first step to the end of the prompt, which is at the time `prompt`. Otherwise
// the time from the prompt to the first token would belong to no step. `first` is the step's first command buffer.
func (p *Phase) after(prompt analyze.Nanos, first *buffer) {
	step := &p.Steps[0]
	if prompt <= step.Begin {
		step.Wait = waitFor(prompt, first)
		step.Idle += step.Begin - prompt
		p.Begin, step.Begin, step.First = prompt, prompt, false
	}
}

// phase divides the command buffers s.of[from:to] into steps; each step has `period` command buffers.
func (s *sequence) phase(id QueueID, kind string, from, to, period int) Phase {
	p := Phase{Kind: kind, From: FromBuffers, Queue: id, Label: s.label, CommandBuffers: to - from}
	for i := from; i < to; i += period {
		step := Step{First: i == from}
		step.Begin, step.End = s.of[i].gpu.Begin, s.of[i].gpu.End
		if !step.First {
			step.Begin = p.Steps[len(p.Steps)-1].End
		}
		var busy analyze.Nanos
		until := step.Begin
		for _, b := range s.of[i:min(i+period, to)] {
			step.End = max(step.End, b.gpu.End)
			step.GPU += b.took
			busy += analyze.Interval{Begin: max(until, b.gpu.Begin), End: b.gpu.End}.Length()
			until = max(until, b.gpu.End)
		}
		step.Idle = max(0, step.Length()-busy)
		step.Wait = waitFor(step.Begin, &s.of[i])
		p.Steps = append(p.Steps, step)
	}
	p.Begin, p.End = p.Steps[0].Begin, p.Steps[len(p.Steps)-1].End
	if kind == Prompt && s.of[from].created > 0 {
		p.Begin = min(p.Begin, s.of[from].created)
	}
	return p
}
