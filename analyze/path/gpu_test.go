package path_test

import (
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/path"
	"mtrace/fixtures/handmade"
	"mtrace/fixtures/tracesim"
)

const (
	microsecond = 1_000
	millisecond = 1_000_000
)

// onPath is the time that a path has of one kind.
func onPath(p path.Path, what string) (sum analyze.Nanos) {
	for _, part := range p.Parts {
		if part.What == what {
			sum += part.Time
		}
	}
	return sum
}

// sameGPUTime fails unless the GPU's time on the critical path is the GPU's busy time, to a percent.
func sameGPUTime(t *testing.T, trace *analyze.Trace) {
	t.Helper()
	a := cause.Analyze(trace, cause.Options{Unpredicted: true})
	onGPU, busy := onPath(a.Waits.Path, path.GPU), a.Evidence.GPU.Busy
	if busy == 0 || float64(max(onGPU-busy, busy-onGPU)) > 0.01*float64(busy) {
		t.Errorf("the GPU was busy for %v, and its work is %v of a path of %v: %v", busy, onGPU, a.Waits.Path.Length,
			a.Waits.Path.Parts)
	}
}

// oneStream is a program of one thread with one queue on a GPU that runs one command buffer at a time, and is idle
// between two.
func oneStream(rest int64, body func(t *tracesim.Thread, q *tracesim.Queue)) func(seed uint64) *tracesim.Sim {
	return func(seed uint64) *tracesim.Sim {
		s := tracesim.NewSim(1, seed)
		s.Rest = rest
		q := s.NewQueue("", 0)
		s.Thread(func(t *tracesim.Thread) { body(t, q) })
		return s
	}
}

// commits commits so many command buffers, and waits for the last of each group.
func commits(count, group int) func(t *tracesim.Thread, q *tracesim.Queue) {
	return func(t *tracesim.Thread, q *tracesim.Queue) {
		for i := range count {
			b := t.CommandBuffer(q)
			t.Encode(b, "step", 200*microsecond)
			t.Commit(b)
			if (i+1)%group == 0 {
				t.Wait(b)
			}
		}
	}
}

// With one serial stream all of the GPU's work is on the critical path. With gaps of more than 100 µs between command
// buffers everything before the gap, back to the commit, was listed as scheduling.
func TestAllWorkOfOneStreamIsOnThePath(t *testing.T) {
	for name, build := range map[string]func(seed uint64) *tracesim.Sim{
		"a wait after each":                  oneStream(0, commits(100, 1)),
		"a wait at the end":                  oneStream(0, commits(60, 60)),
		"a wait at the end, gaps of 20 µs":   oneStream(20*microsecond, commits(60, 60)),
		"a wait at the end, gaps of 150 µs":  oneStream(150*microsecond, commits(60, 60)),
		"a wait after ten, gaps of 300 µs":   oneStream(300*microsecond, commits(100, 10)),
		"more than the queue has, with gaps": oneStream(300*microsecond, commits(200, 200)),
		"no wait at all":                     oneStream(150*microsecond, commits(60, 61)),
	} {
		t.Run(name, func(t *testing.T) { sameGPUTime(t, load(t, build(3).Run(t))) })
	}
}

// Three command buffers in flight, as renderers keep them: the thread waits for a semaphore that completion handlers
// post, on threads of Metal's own. The path followed those threads, and attributed nearly all of the run to the
// program.
func TestPathThroughCompletionHandlers(t *testing.T) {
	const rounds, work, flight = 100, millisecond, 3
	w := handmade.New((rounds + 5) * work)
	gpu := func(i int) analyze.Interval {
		return handmade.At(analyze.Nanos(i+1)*work, analyze.Nanos(i+2)*work-analyze.Nanos(20*microsecond))
	}
	at := analyze.Nanos(1000)
	for i := range rounds {
		if i >= flight { // Metal's thread C posts, in the handler of the command buffer three before
			posted := gpu(i-flight).End + 15*microsecond
			w.SignalWait(w.A, handmade.At(at, posted+5*microsecond), 7, w.C, posted, 0)
			at = posted + 5*microsecond
		}
		b := w.Buffer(w.A, at+50*microsecond, gpu(i))
		b.Handlers, b.Completed = 1, handmade.At(b.GPU.End+16*microsecond, b.GPU.End+17*microsecond)
		at += 60 * microsecond
	}
	w.A.Active, w.B.Active, w.C.Active = handmade.At(0, at), analyze.Interval{}, analyze.Interval{}
	sameGPUTime(t, w.Trace)
}

// A command buffer that waited for an event long before the GPU began it was still released by that event: the path
// continues with the work that signalled it, and not with the commit.
func TestPathGoesThroughAnEventThatCameEarly(t *testing.T) {
	w := handmade.New(10 * millisecond)
	w.A.Active, w.B.Active = handmade.At(0, 100), handmade.At(0, 8*millisecond+100)
	first := w.Buffer(w.A, 10, handmade.At(1*millisecond, 4*millisecond))
	second := w.Buffer(w.B, 20, handmade.At(4*millisecond+300*microsecond, 8*millisecond))
	second.Queue = &analyze.Queue{ID: 2, Process: w.B.Process, Device: w.Queue.Device}
	w.Trace.Queues = append(w.Trace.Queues, second.Queue)
	first.Signals = []analyze.EventValue{{Event: 5, Value: 1}}
	second.WaitsFor = []analyze.EventValue{{Event: 5, Value: 1}}
	w.Wait(w.B, handmade.At(30, 8*millisecond+10), second)
	sameGPUTime(t, w.Trace)
}
