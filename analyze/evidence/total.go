package evidence

import (
	"fmt"
	"slices"

	"mtrace/analyze"
)

// Totals has the values that can be added up over the time ranges of a run: the threads' use of time, the waits of
// threads for each other, and the activity of queues and GPUs.
type Totals struct {
	Trace    *analyze.Trace
	Times    *ThreadTimes
	Queues   []*QueueUse
	Matrices Matrices
	GPU      GPU
}

// Measure computes the totals of a trace. It runs no statistical tests and so is cheap enough for every range of a
// long run.
func Measure(t *analyze.Trace) *Totals {
	totals, _ := MeasureDivided(t)
	return totals
}

// MeasureDivided is Measure, and also returns how the threads used their time.
func MeasureDivided(t *analyze.Trace) (*Totals, *Division) {
	d, queues := newDivision(t), CountInFlight(t, FindCompletions(t))
	d.Times = DivideTime(d.Work, d.ThreadWaits, d.Delegation, queues)
	return &Totals{Trace: t, Times: d.Times, Queues: queues.All,
		Matrices: WhoWaitsForWhom(d.Work, d.Times, d.Delegation, d.ThreadWaits.Locks),
		GPU:      MeasureGPU(d.Work, FindBlocked(t, d.ThreadWaits, queues.Full))}, d
}

// A Total adds up the totals of consecutive time ranges of a run, whose traces have different objects for the same
// threads, queues and devices.
type Total struct {
	all     *analyze.Total
	threads map[*analyze.Thread]*ThreadTime
	queues  map[*analyze.Queue]*QueueUse
	devices Ordered[*analyze.Device, DeviceUse]
	idle    Ordered[idleKey, IdleCause]
	waits   [3]map[pair]analyze.Nanos // the times in the three Matrices, by pair of threads
	gpu     GPU
	warned  map[string]bool
}

type pair struct{ waiter, holder *analyze.Thread }

// NewTotal returns an empty Total. `all` is the total of the ranges' traces; it knows which objects are the same.
func NewTotal(all *analyze.Total) *Total {
	t := &Total{all: all, threads: map[*analyze.Thread]*ThreadTime{}, queues: map[*analyze.Queue]*QueueUse{},
		warned: map[string]bool{}}
	for i := range t.waits {
		t.waits[i] = map[pair]analyze.Nanos{}
	}
	return t
}

// Add adds the totals of the next range. The range's trace must already be part of the Total of traces, because its
// threads and queues are looked up there.
func (t *Total) Add(part *Totals) {
	t.AddTimes(part.Times)
	for _, u := range part.Queues {
		t.queue(u, part.Trace.TimeRange.Length())
	}
	for i, m := range part.Matrices.all() {
		for w, row := range m.NS {
			for h, n := range row {
				if n > 0 {
					t.waits[i][pair{t.all.Thread(m.Threads[w]), t.all.Thread(m.Threads[h])}] += n
				}
			}
		}
	}
	t.addGPU(&part.GPU)
	for _, w := range part.Times.Warnings {
		t.warned[w] = true
	}
}

// AddTimes adds the threads' times in the next range, without its queues, GPUs and waits between threads. As for Add,
// the range's trace must already be part of the Total of traces.
func (t *Total) AddTimes(part *ThreadTimes) {
	for _, th := range part.Threads {
		t.thread(th)
	}
}

func (t *Total) thread(part *ThreadTime) {
	s := entry(t.threads, t.all.Thread(part.Thread))
	for p, n := range part.Time {
		s.Time[p] += n
	}
	for kind, n := range part.Blocked {
		s.Blocked[kind] += n
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

// Finish returns the totals of the whole run. The Total of traces must be finished before, because its window and its
// lists of threads and queues are used.
func (t *Total) Finish() *Totals {
	run := &Totals{Trace: t.all.Trace, Times: t.times(), GPU: t.gpu}
	for _, q := range run.Trace.Queues {
		if u := t.queues[q]; u != nil {
			slices.Sort(u.Threads)
			u.Queue, u.InFlightMean = q, u.InFlightMean/float64(max(1, run.Trace.TimeRange.Length()))
			run.Queues = append(run.Queues, u)
		}
	}
	run.Matrices = newMatrices(run.Times.Threads)
	for i, m := range run.Matrices.all() {
		for p, n := range t.waits[i] {
			m.Add(p.waiter, p.holder, n)
		}
	}
	g := &run.GPU
	for _, d := range t.devices.All {
		g.Devices = append(g.Devices, *d)
		g.Idle += max(0, d.Active.Length()-d.Busy)
	}
	for _, c := range t.idle.All {
		g.IdleBy = append(g.IdleBy, *c)
	}
	g.sum(run.Trace.TimeRange)
	return run
}

// times returns the threads' use of time in the whole run, balanced so that each thread's parts add up to its
// ActiveRange.
func (t *Total) times() *ThreadTimes {
	times := &ThreadTimes{byThread: map[*analyze.Thread]*ThreadTime{}}
	for _, th := range t.all.Trace.Threads {
		s := t.threads[th]
		if s == nil || th.OnlyIdle && !s.HandsOver {
			continue
		}
		s.Thread, s.ActiveRange = th, th.Active.Length()
		s.Time[analyze.PartLock] = max(0, s.Time[analyze.PartLock])
		times.balance(s)
		s.work(0)
		times.add(s)
	}
	if n := len(t.warned); n > 0 {
		times.Warnings = append(times.Warnings, fmt.Sprintf(
			"in some ranges of the run calls of one thread overlap, which is impossible (%d times): "+
				"the longest parts of its time were shortened by the overlap", n))
	}
	return times
}
