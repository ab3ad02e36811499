package steps

import (
	"cmp"
	"slices"
	"strings"

	"mtrace/analyze"
)

// stepNames maps names of marks and scopes (instants and time ranges that the program names) to kinds of steps. A
// number at the end of a name is ignored: "token 17" counts as "token".
var stepNames = map[string]string{"prompt": Prompt, "prefill": Prompt, "token": Decode, "decode": Decode}

// marks collects the program's marks and scopes (named instants and time ranges) whose names are in stepNames.
type marks struct{ of []mark }

type mark struct {
	analyze.Interval
	kind, name string
	thread     analyze.ThreadID
	instant    bool
}

// stem returns a name in lower case and without the number at its end, such as "token" for "Token #17".
func stem(name string) string {
	return strings.TrimRight(strings.ToLower(name), " \t#:_-./0123456789")
}

func (m *marks) add(t *analyze.Trace) {
	for i := range t.Scopes {
		s := &t.Scopes[i]
		name := stem(s.Name)
		kind := stepNames[name]
		if kind == "" || s.Unfinished || !t.Began(s.Begin) {
			continue
		}
		out := mark{Interval: s.Interval, kind: kind, name: name, instant: s.Mark}
		if s.Thread != nil {
			out.thread = s.Thread.ID
		}
		m.of = append(m.of, out)
	}
}

// phases returns the steps that the program's scopes and marks (named time ranges and instants) define. A step is one
// of these: a scope, the time between two marks of tokens, or the time from a prompt's mark to the next mark. If the
// program marks no token, phases returns nil.
func (m *marks) phases(s *Sequences) (out []Phase) {
	if !slices.ContainsFunc(m.of, func(m mark) bool { return m.kind == Decode }) {
		return nil
	}
	slices.SortStableFunc(m.of, func(a, b mark) int {
		return cmp.Or(cmp.Compare(a.thread, b.thread), cmp.Compare(a.Begin, b.Begin))
	})
	busy := s.busy()
	for i := range m.of {
		at := &m.of[i]
		same := i > 0 && m.of[i-1].kind == at.kind && m.of[i-1].name == at.name && m.of[i-1].thread == at.thread &&
			m.of[i-1].instant == at.instant
		step := Step{Interval: at.Interval, First: !same}
		if same { // the step lasts from the end of the previous step of its kind
			step.Begin = m.of[i-1].End
		}
		if at.instant { // a mark begins the step
			if i+1 == len(m.of) || m.of[i+1].thread != at.thread || at.kind == Decode && m.of[i+1].kind != Decode {
				continue
			}
			step.Interval, step.First = analyze.Interval{Begin: at.Begin, End: m.of[i+1].Begin}, false
		}
		if n := len(out); !same || n == 0 {
			out = append(out, Phase{Kind: at.kind, From: FromMarks, Label: at.name, Interval: step.Interval})
		}
		p := &out[len(out)-1]
		p.End = step.End
		var count int
		step.GPU, count = busy.within(step.Interval)
		step.Idle = step.Length() - step.GPU
		if first := busy.first(step.Interval); first != nil {
			step.Wait = waitFor(min(max(step.Begin, busy.until(step.Begin)), first.gpu.Begin), first)
		}
		p.CommandBuffers += count
		p.Steps = append(p.Steps, step)
	}
	return out
}

// A union joins the GPU times of all queues: the times in which the GPU ran any command buffer, in order and without
// overlaps. It also has the command buffers, sorted by begin, and the times at which they ended.
type union struct {
	of      []analyze.Interval
	buffers []*buffer
	ends    []analyze.Nanos
}

// busy returns the union of the GPU times of all command buffers of all queues.
func (s *Sequences) busy() (u union) {
	for _, id := range s.order {
		for i := range s.by[id].of {
			b := &s.by[id].of[i]
			u.buffers = append(u.buffers, b)
			u.ends = append(u.ends, b.gpu.End)
		}
	}
	slices.Sort(u.ends)
	slices.SortFunc(u.buffers, func(a, b *buffer) int { return cmp.Compare(a.gpu.Begin, b.gpu.Begin) })
	for _, b := range u.buffers {
		i := b.gpu
		if n := len(u.of); n > 0 && i.Begin <= u.of[n-1].End {
			u.of[n-1].End = max(u.of[n-1].End, i.End)
			continue
		}
		u.of = append(u.of, i)
	}
	return u
}

// within returns how long the GPU was busy during an interval, and how many command buffers ended in it.
func (u union) within(t analyze.Interval) (busy analyze.Nanos, ended int) {
	at, _ := slices.BinarySearchFunc(u.of, t.Begin, func(i analyze.Interval, begin analyze.Nanos) int {
		return cmp.Compare(i.End, begin)
	})
	for _, i := range u.of[at:] {
		if i.Begin >= t.End {
			break
		}
		busy += analyze.Interval{Begin: max(i.Begin, t.Begin), End: min(i.End, t.End)}.Length()
	}
	first, _ := slices.BinarySearch(u.ends, t.Begin)
	last, _ := slices.BinarySearch(u.ends, t.End)
	return busy, last - first
}

// first returns the first command buffer that the GPU began during an interval, or nil.
func (u union) first(t analyze.Interval) *buffer {
	at, _ := slices.BinarySearchFunc(u.buffers, t.Begin, func(b *buffer, begin analyze.Nanos) int {
		return cmp.Compare(b.gpu.Begin, begin)
	})
	if at == len(u.buffers) || u.buffers[at].gpu.Begin >= t.End {
		return nil
	}
	return u.buffers[at]
}

// until returns the end of the work that the GPU runs at the given time; 0 if the GPU is idle then.
func (u union) until(time analyze.Nanos) analyze.Nanos {
	at, _ := slices.BinarySearchFunc(u.of, time, func(i analyze.Interval, time analyze.Nanos) int {
		return cmp.Compare(i.End, time)
	})
	if at == len(u.of) || u.of[at].Begin > time {
		return 0
	}
	return u.of[at].End
}
