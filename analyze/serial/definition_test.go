package serial

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/statistics"
)

// world makes traces by hand: threads A, B and C, one queue on one device.
type world struct {
	trace   *analyze.Trace
	a, b, c *analyze.Thread
	queue   *analyze.Queue
}

func newWorld(end analyze.Nanos) *world {
	w := &world{trace: &analyze.Trace{Window: analyze.Interval{Begin: 0, End: end}}}
	p := &analyze.Process{ID: 1}
	w.queue = &analyze.Queue{ID: 1, Process: p, Device: &analyze.Device{Name: "GPU"}}
	w.trace.Queues = []*analyze.Queue{w.queue}
	for i, t := range []**analyze.Thread{&w.a, &w.b, &w.c} {
		*t = &analyze.Thread{Process: p, ID: analyze.ThreadID(i + 1), Active: w.trace.Window}
		w.trace.Threads = append(w.trace.Threads, *t)
	}
	return w
}

func at(begin, end analyze.Nanos) analyze.Interval { return analyze.Interval{Begin: begin, End: end} }

// buffer adds a command buffer that a thread commits at an instant.
func (w *world) buffer(by *analyze.Thread, commit analyze.Nanos, gpu analyze.Interval) *analyze.CommandBuffer {
	b := &analyze.CommandBuffer{ID: uint32(len(w.trace.CommandBuffers) + 1), Process: by.Process, Queue: w.queue, GPU: gpu,
		Created: analyze.Call{Interval: at(commit-2, commit-1), Thread: by}, Committed: analyze.Call{Interval: at(commit, commit+1), Thread: by}}
	w.trace.CommandBuffers = append(w.trace.CommandBuffers, b)
	return b
}

func (w *world) wait(by *analyze.Thread, i analyze.Interval, for_ *analyze.CommandBuffer) *analyze.Wait {
	w.trace.Waits = append(w.trace.Waits, analyze.Wait{Call: analyze.Call{Interval: i, Thread: by}, Selector: "waitUntilCompleted", Buffer: for_})
	return &w.trace.Waits[len(w.trace.Waits)-1]
}

type parts map[analyze.Part]analyze.Nanos

// TestSplit: the definitions of docs/vocabulary.md, one by one.
func TestSplit(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(w *world) *analyze.Wait
		want parts
	}{
		{"nothing before it: scheduling, executing, notify", func(w *world) *analyze.Wait {
			return w.wait(w.a, at(100, 200), w.buffer(w.a, 90, at(120, 180)))
		}, parts{analyze.PartWaitScheduling: 20, analyze.PartWaitExecuting: 60, analyze.PartWaitNotify: 20}},
		{"behind own work", func(w *world) *analyze.Wait {
			w.buffer(w.a, 80, at(90, 130))
			return w.wait(w.a, at(100, 200), w.buffer(w.a, 95, at(130, 180)))
		}, parts{analyze.PartWaitQueuedOwn: 30, analyze.PartWaitExecuting: 50, analyze.PartWaitNotify: 20}},
		{"behind another's work", func(w *world) *analyze.Wait {
			w.buffer(w.b, 80, at(90, 130))
			return w.wait(w.a, at(100, 200), w.buffer(w.a, 95, at(135, 180)))
		}, parts{analyze.PartWaitQueuedOther: 30, analyze.PartWaitScheduling: 5, analyze.PartWaitExecuting: 45, analyze.PartWaitNotify: 20}},
		{"behind own and another's at the same time: own counts", func(w *world) *analyze.Wait {
			w.buffer(w.b, 80, at(90, 130))
			w.buffer(w.a, 81, at(110, 120))
			return w.wait(w.a, at(100, 200), w.buffer(w.a, 95, at(130, 180)))
		}, parts{analyze.PartWaitQueuedOwn: 10, analyze.PartWaitQueuedOther: 20, analyze.PartWaitExecuting: 50, analyze.PartWaitNotify: 20}},
		{"another thread's work: foreign as a whole", func(w *world) *analyze.Wait {
			return w.wait(w.a, at(100, 200), w.buffer(w.b, 90, at(120, 180)))
		}, parts{analyze.PartWaitForeign: 100}},
		{"the GPU began before the wait", func(w *world) *analyze.Wait {
			return w.wait(w.a, at(100, 200), w.buffer(w.a, 50, at(60, 150)))
		}, parts{analyze.PartWaitExecuting: 50, analyze.PartWaitNotify: 50}},
		{"done before the wait", func(w *world) *analyze.Wait {
			return w.wait(w.a, at(100, 110), w.buffer(w.a, 50, at(60, 70)))
		}, parts{analyze.PartWaitNotify: 10}},
		{"the wait ended before the GPU did, as with a timeout", func(w *world) *analyze.Wait {
			return w.wait(w.a, at(100, 150), w.buffer(w.a, 90, at(120, 180)))
		}, parts{analyze.PartWaitScheduling: 20, analyze.PartWaitExecuting: 30}},
		{"it never ran: queued to the end", func(w *world) *analyze.Wait {
			w.buffer(w.b, 80, at(90, 130))
			return w.wait(w.a, at(100, 200), w.buffer(w.a, 95, analyze.Interval{}))
		}, parts{analyze.PartWaitQueuedOther: 30, analyze.PartWaitScheduling: 70}},
		{"not known what for", func(w *world) *analyze.Wait {
			w.buffer(w.b, 80, at(90, 130))
			return w.wait(w.a, at(100, 200), nil)
		}, parts{analyze.PartWaitQueuedOther: 30, analyze.PartWaitScheduling: 70}},
		{"an event that another thread's CPU signals", func(w *world) *analyze.Wait {
			wait := w.wait(w.a, at(100, 200), nil)
			wait.Signaled = w.c
			return wait
		}, parts{analyze.PartWaitForeign: 100}},
	} {
		w := newWorld(1000)
		wait := c.make(w)
		got := parts{}
		for _, p := range Divide(w.trace).Split(wait) {
			if p.Nanos != 0 {
				got[p.Part] += p.Nanos
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
			continue
		}
		for p, n := range c.want {
			if got[p] != n {
				t.Errorf("%s: %s is %d, want %d", c.name, p.Key(), got[p], n)
			}
		}
	}
}

// TestMatrices: foreign waits and locks go to who made one wait; time in the queue to whose work ran.
func TestMatrices(t *testing.T) {
	w := newWorld(1000)
	b := w.buffer(w.b, 90, at(120, 180))
	w.buffer(w.c, 70, at(100, 120))
	w.wait(w.a, at(100, 200), b)
	w.wait(w.a, at(300, 400), w.buffer(w.a, 290, at(350, 380)))
	w.buffer(w.c, 200, at(310, 330))
	w.buffer(w.b, 201, at(320, 350))
	w.trace.Locks = []analyze.LockWait{{Call: analyze.Call{Interval: at(500, 550), Thread: w.c}, Holder: w.a, Own: 50}}
	w.c.Exclusive[analyze.PartLock] = 50
	a := Analyze(w.trace, Options{})
	check := func(name string, m *Matrix, waiter, holder int, want analyze.Nanos) {
		if m.NS[waiter][holder] != want {
			t.Errorf("%s[%d][%d] is %d, want %d", name, waiter, holder, m.NS[waiter][holder], want)
		}
	}
	check("wait", a.WaitMatrix, 0, 1, 100)
	check("wait", a.WaitMatrix, 2, 0, 50)
	check("lock", a.LockMatrix, 2, 0, 50)
	check("queued", a.QueuedMatrix, 0, 2, 20) // 310 to 330
	check("queued", a.QueuedMatrix, 0, 1, 20) // 330 to 350
	if a.WaitMatrix.Total() != 150 || a.QueuedMatrix.Total() != 40 {
		t.Errorf("totals %d, %d", a.WaitMatrix.Total(), a.QueuedMatrix.Total())
	}
	if got, want := a.Threads[0].LostToOthers(), 0.14; got != want { // 100 foreign and 40 queued of 1000
		t.Errorf("lost to others %v, want %v", got, want)
	}
}

// TestBusy: the union, not the sum, and the part of it in any interval, against a slow reckoning.
func TestBusy(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 100 {
		var covered [1000]bool
		var list []analyze.Interval
		for range random.IntN(40) {
			b := analyze.Nanos(random.IntN(950))
			i := at(b, b+analyze.Nanos(random.IntN(50)))
			list = append(list, i)
			for ns := i.Begin; ns < i.End; ns++ {
				covered[ns] = true
			}
		}
		busy := NewBusy(slices.Clone(list))
		for range 50 {
			b := analyze.Nanos(random.IntN(1000))
			i := at(b, b+analyze.Nanos(random.IntN(1000-int(b)+1)))
			want, free := analyze.Nanos(0), analyze.Nanos(0)
			for ns := i.Begin; ns < i.End; ns++ {
				if covered[ns] {
					want++
				}
			}
			for _, g := range busy.Gaps(i) {
				free += g.Length()
			}
			if got := busy.Within(i); got != want || free != i.Length()-want {
				t.Fatalf("round %d, %v: %d busy and %d free, want %d and %d", round, i, got, free, want, i.Length()-want)
			}
		}
	}
}

// TestGPU: busy is the union over the device, the gaps begin with the first commit, latency is from commit to start.
func TestGPU(t *testing.T) {
	w := newWorld(1000)
	w.buffer(w.a, 90, at(100, 200))
	w.buffer(w.b, 95, at(150, 250))
	w.buffer(w.a, 290, at(300, 400))
	w.wait(w.a, at(91, 205), w.trace.CommandBuffers[0])
	a := Analyze(w.trace, Options{})
	g := &a.GPU
	if g.Busy != 250 || g.Sum != 300 || g.Overlap != 1.2 || g.BusyShare != 0.25 || g.Idle != 59 { // from the first commit on
		t.Errorf("busy %d, sum %d, overlap %v, share %v, idle %d", g.Busy, g.Sum, g.Overlap, g.BusyShare, g.Idle)
	}
	if len(g.IdleGaps) != 2 || g.IdleGaps[0].Thread != w.a || g.IdleGaps[0].Doing != doingOutside || g.IdleGaps[1].Doing != Scheduling {
		t.Errorf("gaps %+v", g.IdleGaps)
	}
	if g.StartLatency.Min() != 10 || g.StartLatency.Max() != 55 {
		t.Errorf("start latency %d to %d", g.StartLatency.Min(), g.StartLatency.Max())
	}
	q := a.Queues[0]
	if q.InFlightMax != 2 || q.CommandBuffers != 3 || len(q.Threads) != 2 || q.InFlightMean < 0.374 || q.InFlightMean > 0.376 {
		t.Errorf("queue %+v", q) // 110 + 155 + 110 of 1000
	}
}

// TestFullQueue: making a command buffer on a full queue is time lost to those who hold the queue's command buffers.
func TestFullQueue(t *testing.T) {
	w := newWorld(1000)
	w.queue.Capacity = 2
	w.buffer(w.b, 10, at(20, 300))
	w.buffer(w.b, 12, at(25, 500))
	blocked := w.buffer(w.a, 400, at(500, 600))
	blocked.Created.Interval = at(100, 301)
	w.a.Exclusive[analyze.PartAcquire] = 201
	a := Analyze(w.trace, Options{})
	if a.Threads[0].AcquireOthers != 201 || a.Queues[0].AtCapacity != 201 {
		t.Errorf("lost to others %d, full for %d, want 201", a.Threads[0].AcquireOthers, a.Queues[0].AtCapacity)
	}
}

// TestOverlapOfOtherSources: calls of a source other than our own may overlap; the parts add up nevertheless.
func TestOverlapOfOtherSources(t *testing.T) {
	w := newWorld(100)
	w.a.Exclusive[analyze.PartEncode] = 80
	w.wait(w.a, at(10, 60), w.buffer(w.a, 5, at(20, 50)))
	a := Analyze(w.trace, Options{})
	var sum analyze.Nanos
	for _, n := range a.Threads[0].Time {
		sum += n
	}
	if sum != 100 || len(a.Warnings) == 0 {
		t.Errorf("the parts add up to %d, warnings %q", sum, a.Warnings)
	}
}

// TestAdjust: the example of Benjamini and Hochberg's paper of 1995, section 3.2: at 0.05, the first four of fifteen are significant.
func TestAdjust(t *testing.T) {
	p := []float64{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1}
	significant := 0
	adjusted := statistics.FalseDiscovery(p)
	for i, q := range adjusted {
		if q <= 0.05 {
			significant++
		}
		if q < p[i] || i > 0 && q < adjusted[i-1] {
			t.Errorf("adjusted %d is %v", i, q)
		}
	}
	if significant != 4 {
		t.Errorf("%d are significant, want 4", significant)
	}
}
