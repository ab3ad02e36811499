package cause_test

import (
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/replay"
	"mtrace/fixtures/tracesim"
)

// A tie is a program in which threads wait for other threads' work, and not only for the GPU.
type tie struct {
	gpu, under, think, loads int64 // each command buffer, under a lock, outside of it, and to load an item
	keep                     bool  // the lock is kept until the GPU has done
	spins                    bool  // the waiting thread spins, and no wait is recorded
	python                   bool  // the lock is a GIL, which a waiting thread tries to take repeatedly
	workers, loaders         int
}

func (c tie) build() *tracesim.Sim {
	s := tracesim.NewSim(8, 7)
	lock, shelf := &tracesim.Lock{Seen: !c.spins}, &tracesim.Shelf{}
	take := (*tracesim.Thread).Lock
	if c.spins {
		take = (*tracesim.Thread).Spin
	}
	loading := c.loaders
	for range c.loaders {
		s.Thread(func(t *tracesim.Thread) {
			for range 80 {
				t.Sleep(c.loads)
				shelf.Put(t)
			}
			if loading--; loading == 0 {
				shelf.Close()
			}
		})
	}
	for i := range c.workers {
		q := s.NewQueue("", 0)
		s.Thread(func(t *tracesim.Thread) {
			t.Sleep(int64(i) * 70 * us)
			for n := 0; n < 80 || c.loaders > 0; n++ {
				if c.loaders > 0 && !shelf.Take(t) {
					return
				}
				t.Sleep(c.think)
				if c.under > 0 {
					take(t, lock)
					t.Sleep(c.under)
				}
				if c.under > 0 && !c.keep {
					t.Unlock(lock)
				}
				b := t.CommandBuffer(q)
				t.Encode(b, "step", c.gpu)
				t.Commit(b)
				t.Wait(b)
				if c.keep {
					t.Unlock(lock)
				}
			}
		})
	}
	return s
}

// trace returns the trace of a run of the program.
func (c tie) trace(t *testing.T) *analyze.Trace {
	trace := load(t, c.build().Run(t))
	if !c.python {
		return trace
	}
	for _, p := range trace.Processes {
		p.Program = "/usr/bin/python3.11"
	}
	for i := range trace.Waits {
		trace.Waits[i].Interpreter = analyze.InterpreterHeld
	}
	const often = 100 * us
	var locks []analyze.LockWait
	for _, l := range trace.CPUWaits.Locks {
		l.Selector, l.Name = "pthread_cond_timedwait", "_PyRuntime"
		for end := l.End; l.Begin < end; l.Begin = l.End {
			l.End = min(end, l.Begin+often)
			l.Exclusive = l.Length()
			locks = append(locks, l)
		}
	}
	trace.CPUWaits.Locks = locks
	return trace
}

// The story: threads of a program kept a lock while the GPU worked. Kernels of half the length were predicted to bring
// nothing, because the lock was replayed as kept just as long. In a program that waits for the threads that load its
// data they were predicted to bring 1.14×, because each wait was replayed just as long. A wait for another thread ends
// when that thread is done. This also holds where the trace has no wait: for a program with a spin lock the prediction
// was 1.13×, and the real speed-up was 1.86×. It holds where one wait is recorded as ten, as for a GIL: 1.15× and
// 1.77×. A wait for a signal is another thread's work, not a call that could take less time: threads that asked others
// for their work and took half as long were predicted to bring 1.13× and brought 1.56×.
func TestFasterThingsThatOthersWaitFor(t *testing.T) {
	behind := tie{workers: 4, gpu: 400 * us, under: 50 * us, think: 100 * us, keep: true}
	lock := tie{workers: 4, gpu: 100 * us, under: 300 * us, think: 50 * us}
	spins := tie{workers: 4, gpu: 400 * us, under: us, think: 50 * us, keep: true, spins: true}
	python := tie{workers: 4, gpu: 400 * us, under: 20 * us, think: 60 * us, keep: true, python: true}
	loader := tie{workers: 1, loaders: 1, gpu: 400 * us, think: 20 * us, loads: 900 * us}
	change := func(c tie, by func(*tie)) tie { by(&c); return c }
	half := func(kind string) []replay.Wanted { return []replay.Wanted{{Kind: kind, Pattern: "*", Factor: 0.5}} }
	for _, c := range []struct {
		name   string
		with   tie
		really tie
		wanted []replay.Wanted
	}{
		{"a kernel under a lock", behind, change(behind, func(c *tie) { c.gpu /= 2 }), half("kernel")},
		{"a kernel beside a lock", lock, change(lock, func(c *tie) { c.gpu /= 2 }), half("kernel")},
		{"work under a lock", lock, change(lock, func(c *tie) { c.under /= 2; c.think /= 2 }), half("thread")},
		{"a kernel under a lock that nobody sees", spins, change(spins, func(c *tie) { c.gpu /= 2 }), half("kernel")},
		{"a kernel under an interpreter's lock", python, change(python, func(c *tie) { c.gpu /= 2 }), half("kernel")},
		{"who loads", loader, change(loader, func(c *tie) { c.loads /= 2; c.think /= 2 }), half("thread")},
		{"a kernel that is waited for by nobody", loader, change(loader, func(c *tie) { c.gpu /= 2 }), half("kernel")},
	} {
		t.Run(c.name, func(t *testing.T) {
			trace := c.with.trace(t)
			real := rate(c.really.trace(t)) / rate(trace)
			a := cause.Analyze(trace, cause.Options{})
			if g, _, err := a.Predict([]replay.Wanted{{Kind: "call", Pattern: "pthread_cond*", Factor: 0.5}}); err == nil {
				t.Errorf("a wait for a signal is treated as a call: %.2f", g.Estimate)
			}
			g, why, err := a.Predict(c.wanted)
			if err != nil || why != "" {
				t.Fatalf("nothing is predicted: %s %v", why, err)
			}
			if off := g.Estimate/real - 1; off > 0.1 || off < -0.1 || real < g.Low || real > g.High {
				t.Errorf("predicted %.2f (%.2f to %.2f), the run is %.2f times as fast", g.Estimate, g.Low, g.High, real)
			}
		})
	}
}
