package cause_test

import (
	"testing"

	"mtrace/analyze/cause"
	"mtrace/analyze/replay"
	"mtrace/analyze/tracesim"
)

// A tie is a program in which threads wait for what others do, and not only for the GPU.
type tie struct {
	gpu, under, think, loads int64 // each command buffer, under a lock, outside of it, and to load a piece of work
	keep                     bool  // the lock is kept until the GPU has done
	workers, loaders         int
}

func (c tie) build() *tracesim.Sim {
	s := tracesim.NewSim(8, 7)
	lock, shelf := &tracesim.Lock{Seen: true}, &tracesim.Shelf{}
	loading := c.loaders
	for range c.loaders {
		s.Thread(func(t *tracesim.Thread) {
			for range 80 {
				t.Sleep(c.loads)
				t.Put(shelf)
			}
			if loading--; loading == 0 {
				t.Close(shelf)
			}
		})
	}
	for i := range c.workers {
		q := s.NewQueue("", 0)
		s.Thread(func(t *tracesim.Thread) {
			t.Sleep(int64(i) * 70 * us)
			for n := 0; n < 80 || c.loaders > 0; n++ {
				if c.loaders > 0 && !t.Take(shelf) {
					return
				}
				t.Sleep(c.think)
				if c.under > 0 {
					t.Lock(lock)
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

// The story: of a program whose threads keep a lock while the GPU works, kernels of half the length were said to bring nothing, as the lock was kept as long;
// and of one that waits for who loads its data they were said to make it 1.14 times as fast, as it waited as long for each piece. What a thread waits for
// another to do ends when that is done.
func TestFasterThingsThatOthersWaitFor(t *testing.T) {
	behind := tie{workers: 4, gpu: 400 * us, under: 50 * us, think: 100 * us, keep: true}
	lock := tie{workers: 4, gpu: 100 * us, under: 300 * us, think: 50 * us}
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
		{"what is done under a lock", lock, change(lock, func(c *tie) { c.under /= 2; c.think /= 2 }), half("thread")},
		{"a kernel that is waited for by nobody", loader, change(loader, func(c *tie) { c.gpu /= 2 }), half("kernel")},
	} {
		t.Run(c.name, func(t *testing.T) {
			trace := load(t, c.with.build().Run(t))
			real := rate(load(t, c.really.build().Run(t))) / rate(trace)
			g, why, err := cause.Analyze(trace, cause.Options{}).Ask(c.wanted)
			if err != nil || why != "" {
				t.Fatalf("nothing is predicted: %s %v", why, err)
			}
			if off := g.Estimate/real - 1; off > 0.1 || off < -0.1 || real < g.Low || real > g.High {
				t.Errorf("predicted %.2f (%.2f to %.2f), the run is %.2f times as fast", g.Estimate, g.Low, g.High, real)
			}
		})
	}
}
