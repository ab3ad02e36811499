package evidence

import (
	"fmt"
	"slices"

	"mtrace/analyze"
)

// A Total adds up what Measure says of the parts of a run.
type Total struct {
	all     *analyze.Total
	threads map[*analyze.Thread]*ThreadTime
	queues  map[*analyze.Queue]*QueueUse
	devices Ordered[*analyze.Device, DeviceUse]
	idle    Ordered[idleKey, IdleCause]
	waits   [3]map[pair]analyze.Nanos // of the matrices
	gpu     GPU
	warned  map[string]bool
	answer  Evidence
}

type idleKey struct {
	thread *analyze.Thread
	doing  string
}

type pair struct{ waiter, holder *analyze.Thread }

// NewTotal adds to the total of the parts' traces.
func NewTotal(all *analyze.Total) *Total {
	t := &Total{all: all, threads: map[*analyze.Thread]*ThreadTime{}, queues: map[*analyze.Queue]*QueueUse{},
		warned: map[string]bool{}}
	for i := range t.waits {
		t.waits[i] = map[pair]analyze.Nanos{}
	}
	return t
}

// Add adds the part that comes next, after its trace was added.
func (t *Total) Add(ev *Evidence) {
	t.AddSlice(ev)
	for _, u := range ev.Queues {
		t.queue(u, ev.Trace.Window.Length())
	}
	for i, m := range ev.allMatrices() {
		for w, row := range m.NS {
			for h, n := range row {
				if n > 0 {
					t.waits[i][pair{t.all.Thread(m.Threads[w]), t.all.Thread(m.Threads[h])}] += n
				}
			}
		}
	}
	t.addGPU(&ev.GPU)
	for _, w := range ev.Warnings {
		t.warned[w] = true
	}
}

// AddSlice adds a slice that DivideSlice divided, after its trace was added: only of threads something adds up, and
// nothing of their waits.
func (t *Total) AddSlice(ev *Evidence) {
	for _, th := range ev.Threads {
		t.thread(th)
	}
}

func (t *Total) thread(part *ThreadTime) {
	s := entry(t.threads, t.all.Thread(part.Thread))
	for p, n := range part.Time {
		s.Time[p] += n
	}
	s.CommandBuffers += part.CommandBuffers
	s.Encoders += part.Encoders
	s.Dispatches += part.Dispatches
	s.Waits += part.Waits
	s.GPU += part.GPU
	s.SignalWaits += part.SignalWaits
	s.AcquireOthers += part.AcquireOthers
	s.HandsOver = s.HandsOver || part.HandsOver
}

func (t *Total) queue(part *QueueUse, window analyze.Nanos) {
	s := entry(t.queues, t.all.Queue(part.Queue))
	for _, id := range part.Threads {
		if !slices.Contains(s.Threads, id) {
			s.Threads = append(s.Threads, id)
		}
	}
	s.CommandBuffers += part.CommandBuffers
	s.InFlightMean += part.InFlightMean * float64(window)
	s.InFlightMax = max(s.InFlightMax, part.InFlightMax)
	s.AtCapacity += part.AtCapacity
}

func (t *Total) addGPU(part *GPU) {
	g := &t.gpu
	g.Busy, g.Sum = g.Busy+part.Busy, g.Sum+part.Sum
	g.StartLatency.Merge(&part.StartLatency)
	for _, gap := range part.IdleGaps {
		gap.Thread = t.all.Thread(gap.Thread)
		g.keep(gap)
	}
	for _, c := range part.IdleBy {
		s := t.idle.Of(idleKey{t.all.Thread(c.Thread), c.Doing})
		s.Thread, s.Doing = t.all.Thread(c.Thread), c.Doing
		s.Time += c.Time
		s.Gaps += c.Gaps
	}
	for _, d := range part.Devices {
		s := t.devices.Of(t.all.Device(d.Device))
		if s.Device = t.all.Device(d.Device); s.Active.End == 0 {
			s.Active = d.Active
		}
		s.Active = analyze.Interval{Begin: min(s.Active.Begin, d.Active.Begin), End: max(s.Active.End, d.Active.End)}
		s.Busy, s.Sum = s.Busy+d.Busy, s.Sum+d.Sum
		s.Capacity = max(s.Capacity, d.Capacity)
	}
}

// Finish is the answer for the whole run, after its trace was finished, without a verdict: see cause.Judge.
func (t *Total) Finish() *Evidence {
	ev := &t.answer
	ev.Trace = t.all.Trace
	for _, th := range ev.Trace.Threads {
		s := t.threads[th]
		if s == nil || th.OnlyIdle && !s.HandsOver {
			continue
		}
		s.Thread, s.Window = th, th.Active.Length()
		s.Time[analyze.PartLock] = max(0, s.Time[analyze.PartLock])
		ev.balance(s)
		s.work(0)
		ev.Threads = append(ev.Threads, s)
	}
	for _, q := range ev.Trace.Queues {
		if u := t.queues[q]; u != nil {
			slices.Sort(u.Threads)
			u.Queue, u.InFlightMean = q, u.InFlightMean/float64(max(1, ev.Trace.Window.Length()))
			ev.Queues = append(ev.Queues, u)
		}
	}
	ev.newMatrices()
	for i, m := range ev.allMatrices() {
		for p, n := range t.waits[i] {
			m.Add(p.waiter, p.holder, n)
		}
	}
	ev.GPU = t.gpu
	g := &ev.GPU
	for _, d := range t.devices.All {
		g.Devices = append(g.Devices, *d)
		g.Idle += max(0, d.Active.Length()-d.Busy)
	}
	for _, c := range t.idle.All {
		g.IdleBy = append(g.IdleBy, *c)
	}
	g.sum(ev.Trace.Window)
	if n := len(t.warned); n > 0 {
		ev.Warnings = append(ev.Warnings, fmt.Sprintf("in parts of the run calls of a thread overlap, which no thread can "+
			"do: %d times; its longest parts were cut by that", n))
	}
	return ev
}
