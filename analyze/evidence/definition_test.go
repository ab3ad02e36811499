package evidence

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/statistics"
	"mtrace/fixtures/handmade"
)

type parts map[analyze.Part]analyze.Nanos

// TestSplit: the definitions of docs/terms.md, one by one.
func TestSplit(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(w *handmade.World) *analyze.Wait
		want parts
	}{
		{"nothing before it: scheduling, executing, notify", func(w *handmade.World) *analyze.Wait {
			return w.Wait(w.A, handmade.At(100, 200), w.Buffer(w.A, 90, handmade.At(120, 180)))
		}, parts{analyze.PartWaitScheduling: 20, analyze.PartWaitExecuting: 60, analyze.PartWaitNotify: 20}},
		{"behind own work", func(w *handmade.World) *analyze.Wait {
			w.Buffer(w.A, 80, handmade.At(90, 130))
			return w.Wait(w.A, handmade.At(100, 200), w.Buffer(w.A, 95, handmade.At(130, 180)))
		}, parts{analyze.PartWaitQueuedOwn: 30, analyze.PartWaitExecuting: 50, analyze.PartWaitNotify: 20}},
		{"behind another's work", func(w *handmade.World) *analyze.Wait {
			w.Buffer(w.B, 80, handmade.At(90, 130))
			return w.Wait(w.A, handmade.At(100, 200), w.Buffer(w.A, 95, handmade.At(135, 180)))
		}, parts{analyze.PartWaitQueuedOther: 30, analyze.PartWaitScheduling: 5, analyze.PartWaitExecuting: 45,
			analyze.PartWaitNotify: 20}},
		{"behind own and another's at the same time: own counts", func(w *handmade.World) *analyze.Wait {
			w.Buffer(w.B, 80, handmade.At(90, 130))
			w.Buffer(w.A, 81, handmade.At(110, 120))
			return w.Wait(w.A, handmade.At(100, 200), w.Buffer(w.A, 95, handmade.At(130, 180)))
		}, parts{analyze.PartWaitQueuedOwn: 10, analyze.PartWaitQueuedOther: 20, analyze.PartWaitExecuting: 50,
			analyze.PartWaitNotify: 20}},
		{"another thread's work: foreign as a whole", func(w *handmade.World) *analyze.Wait {
			return w.Wait(w.A, handmade.At(100, 200), w.Buffer(w.B, 90, handmade.At(120, 180)))
		}, parts{analyze.PartWaitCrossThread: 100}},
		{"the GPU began before the wait", func(w *handmade.World) *analyze.Wait {
			return w.Wait(w.A, handmade.At(100, 200), w.Buffer(w.A, 50, handmade.At(60, 150)))
		}, parts{analyze.PartWaitExecuting: 50, analyze.PartWaitNotify: 50}},
		{"done before the wait", func(w *handmade.World) *analyze.Wait {
			return w.Wait(w.A, handmade.At(100, 110), w.Buffer(w.A, 50, handmade.At(60, 70)))
		}, parts{analyze.PartWaitNotify: 10}},
		{"the wait ended before the GPU did, as with a timeout", func(w *handmade.World) *analyze.Wait {
			return w.Wait(w.A, handmade.At(100, 150), w.Buffer(w.A, 90, handmade.At(120, 180)))
		}, parts{analyze.PartWaitScheduling: 20, analyze.PartWaitExecuting: 30}},
		{"it never ran: queued to the end", func(w *handmade.World) *analyze.Wait {
			w.Buffer(w.B, 80, handmade.At(90, 130))
			return w.Wait(w.A, handmade.At(100, 200), w.Buffer(w.A, 95, analyze.Interval{}))
		}, parts{analyze.PartWaitQueuedOther: 30, analyze.PartWaitScheduling: 70}},
		{"not known what for", func(w *handmade.World) *analyze.Wait {
			w.Buffer(w.B, 80, handmade.At(90, 130))
			return w.Wait(w.A, handmade.At(100, 200), nil)
		}, parts{analyze.PartWaitQueuedOther: 30, analyze.PartWaitScheduling: 70}},
		{"an event that another thread's CPU signals", func(w *handmade.World) *analyze.Wait {
			wait := w.Wait(w.A, handmade.At(100, 200), nil)
			wait.Signaled = w.C
			return wait
		}, parts{analyze.PartWaitCrossThread: 100}},
	} {
		w := handmade.New(1000)
		wait := c.make(w)
		got := parts{}
		for _, p := range Divide(w.Trace).Work.Split(wait) {
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

// TestMatrices: cross-thread waits and locks are charged to the thread that caused the wait, and time in the queue to
// the thread whose work ran.
func TestMatrices(t *testing.T) {
	w := handmade.New(1000)
	b := w.Buffer(w.B, 90, handmade.At(120, 180))
	w.Buffer(w.C, 70, handmade.At(100, 120))
	w.Wait(w.A, handmade.At(100, 200), b)
	w.Wait(w.A, handmade.At(300, 400), w.Buffer(w.A, 290, handmade.At(350, 380)))
	w.Buffer(w.C, 200, handmade.At(310, 330))
	w.Buffer(w.B, 201, handmade.At(320, 350))
	w.Trace.CPUWaits.Locks = []analyze.LockWait{{Call: analyze.Call{Interval: handmade.At(500, 550), Thread: w.C},
		Holder:    w.A,
		Exclusive: 50}}
	w.C.Exclusive[analyze.PartLock] = 50
	a := Gather(w.Trace, Options{})
	check := func(name string, m *Matrix, waiter, holder int, want analyze.Nanos) {
		if m.NS[waiter][holder] != want {
			t.Errorf("%s[%d][%d] is %d, want %d", name, waiter, holder, m.NS[waiter][holder], want)
		}
	}
	check("wait", a.Matrices.Waits, 0, 1, 100)
	check("wait", a.Matrices.Waits, 2, 0, 50)
	check("lock", a.Matrices.Locks, 2, 0, 50)
	check("queued", a.Matrices.Queued, 0, 2, 20) // 310 to 330
	check("queued", a.Matrices.Queued, 0, 1, 20) // 330 to 350
	for name, m := range map[string]struct {
		*Matrix
		want analyze.Nanos
	}{"wait": {a.Matrices.Waits, 150}, "queued": {a.Matrices.Queued, 40}} {
		if total := SumOf(analyze.Each(slices.Concat(m.NS...)),
			func(n *analyze.Nanos) analyze.Nanos { return *n }); total != m.want {
			t.Errorf("%s: the total is %d, want %d", name, total, m.want)
		}
	}
	if got, want := a.Times.Threads[0].LostToOthers(), 0.14; got != want { // 100 foreign and 40 queued of 1000
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
			i := handmade.At(b, b+analyze.Nanos(random.IntN(50)))
			list = append(list, i)
			for ns := i.Begin; ns < i.End; ns++ {
				covered[ns] = true
			}
		}
		busy := NewBusy(slices.Clone(list))
		for range 50 {
			b := analyze.Nanos(random.IntN(1000))
			i := handmade.At(b, b+analyze.Nanos(random.IntN(1000-int(b)+1)))
			want, free := analyze.Nanos(0), analyze.Nanos(0)
			for ns := i.Begin; ns < i.End; ns++ {
				if covered[ns] {
					want++
				}
			}
			for _, g := range busy.Gaps(i) {
				free += g.Length()
			}
			if got := busy.LengthWithin(i); got != want || free != i.Length()-want {
				t.Fatalf("round %d, %v: %d busy and %d free, want %d and %d", round, i, got, free, want, i.Length()-want)
			}
		}
	}
}

// TestGPU: busy is the union over the device, the gaps begin with the first commit, latency is from commit to start.
func TestGPU(t *testing.T) {
	w := handmade.New(1000)
	w.Buffer(w.A, 90, handmade.At(100, 200))
	w.Buffer(w.B, 95, handmade.At(150, 250))
	w.Buffer(w.A, 290, handmade.At(300, 400))
	w.Wait(w.A, handmade.At(91, 205), w.Trace.Buffer(1))
	a := Gather(w.Trace, Options{})
	g := &a.GPU
	if g.Busy != 250 || g.Sum != 300 || g.Overlap != 1.2 || g.BusyShare != 0.25 || g.Idle != 59 {
		// from the first commit on
		t.Errorf("busy %d, sum %d, overlap %v, share %v, idle %d", g.Busy, g.Sum, g.Overlap, g.BusyShare, g.Idle)
	}
	if len(g.IdleGaps) != 2 || g.IdleGaps[0].Thread != w.A || g.IdleGaps[0].Doing != doingOutside ||
		g.IdleGaps[1].Doing != Scheduling {
		t.Errorf("gaps %+v", g.IdleGaps)
	}
	if g.StartLatency.Min() != 10 || g.StartLatency.Max() != 55 {
		t.Errorf("start latency %d to %d", g.StartLatency.Min(), g.StartLatency.Max())
	}
	q := a.Queues.All[0]
	if q.InFlightMax != 2 || q.CommandBuffers != 3 || len(q.Threads) != 2 || q.InFlightMean < 0.374 ||
		q.InFlightMean > 0.376 {
		t.Errorf("queue %+v", q) // 110 + 155 + 110 of 1000
	}
}

// TestFullQueue: creating a command buffer on a full queue is time lost to the threads that hold the queue's command
// buffers.
func TestFullQueue(t *testing.T) {
	w := handmade.New(1000)
	w.Queue.Capacity = 2
	w.Buffer(w.B, 10, handmade.At(20, 300))
	w.Buffer(w.B, 12, handmade.At(25, 500))
	blocked := w.Buffer(w.A, 400, handmade.At(500, 600))
	blocked.Created.Interval = handmade.At(100, 301)
	w.A.Exclusive[analyze.PartAcquire] = 201
	a := Gather(w.Trace, Options{})
	if a.Times.Threads[0].AcquireOthers != 201 || a.Queues.All[0].AtCapacity != 201 {
		t.Errorf("lost to others %d, full for %d, want 201", a.Times.Threads[0].AcquireOthers, a.Queues.All[0].AtCapacity)
	}
}

// TestOverlapOfOtherSources: calls of a source other than our own may overlap; the parts add up nevertheless.
func TestOverlapOfOtherSources(t *testing.T) {
	w := handmade.New(100)
	w.A.Exclusive[analyze.PartEncode] = 80
	w.Wait(w.A, handmade.At(10, 60), w.Buffer(w.A, 5, handmade.At(20, 50)))
	a := Gather(w.Trace, Options{})
	var sum analyze.Nanos
	for _, n := range a.Times.Threads[0].Time {
		sum += n
	}
	if sum != 100 || len(a.Times.Warnings) == 0 {
		t.Errorf("the parts add up to %d, warnings %q", sum, a.Times.Warnings)
	}
}

// TestAdjust: the example of Benjamini and Hochberg's paper of 1995, section 3.2: at 0.05, the first four of fifteen
// are significant.
func TestAdjust(t *testing.T) {
	p := []float64{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
		0.7590, 1}
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
