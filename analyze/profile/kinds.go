package profile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/kernels"
)

func values(count, unit, value, valueUnit string) []*profile.ValueType {
	return []*profile.ValueType{{Type: count, Unit: unit}, {Type: value, Unit: valueUnit}}
}

// gpu returns the profile of GPU time by kernel. A command buffer has several kernels; its count, and its time from
// commit to start, are added to the first kernel only, so that sums are right. It returns nil if kernels share a
// measured time and `costs`, which divides such times among kernels, is nil.
func gpu(t *analyze.Trace, costs *kernels.Costs, splitter *kernels.Splitter) *builder {
	types := append(values("command_buffers", "count", "gpu", "nanoseconds"), &profile.ValueType{Type: "queued",
		Unit: "nanoseconds"})
	b := newBuilder(t, types...)
	b.profile.Comments = append(b.profile.Comments, "gpu_timing: "+kernels.TimingOf(t).Source)
	var stack []string
	var of *analyze.Queue
	queue := queueName(of)
	for c := range t.Buffers() {
		queued, first := int64(0), int64(0)
		if latency, known := c.StartLatency(t.TimeRange); known && t.Began(c.Committed.Begin) {
			queued = int64(latency)
		}
		if t.Began(c.GPU.Begin) {
			first = 1
		}
		if c.Queue != of {
			of, queue = c.Queue, queueName(c.Queue)
		}
		for _, s := range together(splitter.Split(c, t.TimeRange, costs)) {
			encoder := ""
			if s.Encoder != nil {
				encoder = s.Encoder.Label
			}
			stack = append(append(stack[:0], s.Name()), s.Layer.Frames()...)
			stack = append(stack, encoder, cmp.Or(c.Label, "(command buffer without a label)"),
				channelName(s.Channel), queue)
			b.add(stack, originOf(c.Committed), labels{process: c.Process, thread: c.Committed.Thread, queue: c.Queue,
				timing: s.Source, named: s.Operation.Name}, first, int64(s.GPU), queued)
			first, queued = 0, 0
		}
		if splitter.NeedsCosts() {
			return nil
		}
	}
	return b
}

// together merges consecutive kernels of an encoder into one share with all their names, if the GPU time of each kernel
// alone is unknown. A profile has no way to show a range of possible times, so it would rank these kernels by arbitrary
// times.
func together(shares []kernels.Share) []kernels.Share {
	out := shares[:0]
	for i := 0; i < len(shares); i++ {
		s := shares[i]
		var names []string
		for at := i; s.Source == kernels.NotIdentified && at < len(shares); at++ {
			next := &shares[at]
			if next.Source != kernels.NotIdentified || next.Encoder != s.Encoder || next.Operation != s.Operation ||
				next.Layer != s.Layer {
				break
			}
			if !slices.Contains(names, next.Name()) {
				names = append(names, next.Name())
			}
			if at > i {
				s.GPU += next.GPU
				i++
			}
		}
		if len(names) > 1 {
			slices.Sort(names)
			s.Kernel, s.Variant = "not told apart: "+strings.Join(names, ", "), ""
		}
		out = append(out, s)
	}
	return out
}

// channelName returns the name of a GPU channel as a frame of a stack; "" omits the frame.
func channelName(channel string) string {
	if channel == "" {
		return ""
	}
	return channel + " channel"
}

// api returns the profile of the threads' time in calls, without the calls nested in them. It leaves out time outside
// of Metal, except for waits for signals, which are calls too.
func api(t *analyze.Trace) *builder {
	b := newBuilder(t, values("calls", "count", "wall", "nanoseconds")...)
	for _, c := range t.Calls {
		metal := []string{c.Selector, c.Class}
		for _, from := range c.From {
			b.add(metal, origin{stack: from.Stack}, labels{thread: from.Thread}, from.Count, int64(from.Exclusive))
		}
		if len(c.From) > 0 {
			continue
		}
		for _, th := range t.Threads {
			if calls, time := c.Counts[th], c.Exclusive[th]; calls > 0 || time > 0 {
				b.add(metal, origin{}, labels{thread: th}, calls, int64(time))
			}
		}
	}
	return b
}

// wait returns the profile of the threads' time in waits: for the GPU, locks, signals of other threads, input, sleeps
// and others. The innermost frame is the phase of the wait. A wait with several phases is counted once, with its
// longest phase.
func wait(splitter *evidence.Division) *builder {
	t := splitter.Trace
	b := newBuilder(t, values("waits", "count", "wait", "nanoseconds")...)
	for i := range t.Waits {
		w := &t.Waits[i]
		l := labels{thread: w.Thread, holds: w.Interpreter}
		buffer := ""
		if b := t.WaitsFor(w); b != nil {
			l.queue, buffer = b.Queue, b.Label
		}
		pieces := splitter.Work.Split(w)
		longest := 0
		for k := range pieces {
			if pieces[k].Nanos > pieces[longest].Nanos {
				longest = k
			}
		}
		for k, p := range pieces {
			if p.Nanos == 0 && k != longest {
				continue
			}
			l.other = ""
			if p.Part == analyze.PartWaitCrossThread {
				l.other = b.other(evidence.Awaited(t, w))
			}
			n := int64(0)
			if k == longest {
				n = counts(w.Earlier)
			}
			b.add([]string{p.Part.Name(), w.Selector, buffer}, originOf(w.Call), l, n, int64(p.Nanos))
		}
	}
	for _, k := range splitter.ThreadWaits.Locks {
		l := labels{thread: k.Thread, holds: k.Interpreter, other: b.other(k.Holder)}
		stack := []string{"lock", named(k.Name, "lock", k.Lock), k.Selector}
		b.add(stack, originOf(k.Call), l, counts(k.Earlier), int64(k.Exclusive))
	}
	b.signals(splitter)
	return b
}

// counts returns the number to add to the count of waits for one wait: 0 if the wait began in an earlier range, where
// it was counted, otherwise 1.
func counts(earlier bool) int64 {
	if earlier {
		return 0
	}
	return 1
}

// signals adds waits for signals and other blocked time, but only of threads that the report lists. The other threads
// only wait for work that is unrelated to the GPU.
func (b *builder) signals(a *evidence.Division) {
	listed := map[*analyze.Thread]bool{}
	for _, t := range a.Times.Threads {
		listed[t.Thread] = true
	}
	for i := range a.Trace.CPUWaits.Children {
		if w := &a.Trace.CPUWaits.Children[i]; w.Mostly && listed[w.Thread] {
			b.add([]string{"children that compile", cmp.Or(w.Program, "child processes"), w.How}, originOf(w.Call),
				labels{thread: w.Thread}, 1, int64(w.Length()))
		}
	}
	for i := range a.ThreadWaits.Signals {
		w := &a.ThreadWaits.Signals[i]
		if !listed[w.Thread] {
			continue
		}
		l := labels{thread: w.Thread, other: b.other(w.Signaller)}
		b.add([]string{"signal", named(w.Name, "signal", w.Object), w.Selector}, originOf(w.Call), l, counts(w.Earlier),
			int64(w.Length()))
	}
	for w := range analyze.Each(a.Trace.CPUWaits.Blocked) {
		if listed[w.Thread] {
			b.add([]string{w.Kind.String(), w.String(), w.Selector}, originOf(w.Call), labels{thread: w.Thread},
				counts(w.Earlier), int64(w.Length()))
		}
	}
}

// alloc returns the profile of allocations.
func alloc(t *analyze.Trace) *builder {
	b := newBuilder(t, values("objects", "count", "space", "bytes")...)
	for i := range t.Memory.Allocations {
		a := &t.Memory.Allocations[i]
		b.add([]string{a.Storage + " memory", a.Selector}, origin{a.Thread, a.At, a.Stack}, labels{thread: a.Thread}, 1,
			int64(min(a.Bytes, 1<<62)))
	}
	return b
}

// compilation returns the profile of compilations.
func compilation(t *analyze.Trace) *builder {
	b := newBuilder(t, values("compilations", "count", "time", "nanoseconds")...)
	for i := range t.Compilations {
		c := &t.Compilations[i]
		if c.Waits() { // the compilations that it waited for are in the list, too
			continue
		}
		stack := []string{cmp.Or(c.Name, "("+c.Kind+" without a name)"), c.Kind, c.Selector}
		b.add(stack, originOf(c.Call), labels{thread: c.Thread}, 1, int64(c.Length()))
	}
	return b
}
