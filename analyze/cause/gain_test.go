package cause_test

import (
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/replay"
	"mtrace/fixtures/tracesim"
)

// A mix is a program of two kernels. Everything in it that a prediction makes faster can really be made faster.
type mix struct {
	engines, threads    int
	matmul, gelu, think int64
	commit              int64
	ahead               int   // command buffers in flight of a thread
	sync, together      bool  // wait for all threads; both kernels in one command buffer
	mixed               bool  // gelu twice in every other command buffer
	thinker             int64 // what the first thread thinks
}

func (m mix) build() *tracesim.Sim {
	s := tracesim.NewSim(m.engines, 7)
	s.Costs.Commit = m.commit
	latest := make([]*tracesim.Buffer, m.threads)
	for i := range m.threads {
		q := s.NewQueue("", 0)
		s.Thread(func(t *tracesim.Thread) {
			t.Work(int64(i) * 50 * us)
			var flying []*tracesim.Buffer
			for n := range 100 {
				think := m.think
				if i == 0 && m.thinker > 0 {
					think = m.thinker
				}
				t.Work(think)
				b := t.CommandBuffer(q)
				t.Encode(b, "matmul_f32", m.matmul)
				if !m.together {
					t.Commit(b)
					b = t.CommandBuffer(q)
				}
				t.Encode(b, "gelu", m.gelu)
				if m.mixed && n%2 == 0 {
					t.Encode(b, "gelu", m.gelu)
				}
				t.Commit(b)
				if flying = append(flying, b); len(flying) >= max(1, m.ahead) {
					t.Wait(flying[0])
					flying = flying[1:]
				}
				latest[i] = b
				for k := range latest {
					if m.sync && latest[k] != nil && k != i {
						t.Wait(latest[k])
					}
				}
			}
		})
	}
	return s
}

// Predictions for shorter kernels, calls and threads, and for more command buffers in flight, match a run of the same
// program with that change really made.
func TestFasterThings(t *testing.T) {
	one := mix{engines: 1, threads: 1, matmul: 600 * us, gelu: 150 * us, think: 100 * us, commit: 3 * us}
	four := mix{engines: 8, threads: 4, matmul: 400 * us, gelu: 200 * us, think: 300 * us, commit: 60 * us}
	full := mix{engines: 1, threads: 3, matmul: 300 * us, gelu: 100 * us, think: 200 * us, commit: 3 * us}
	everybody := mix{engines: 8, threads: 4, matmul: 400 * us, gelu: 100 * us, think: 100 * us, commit: 3 * us, sync: true}
	beside := one
	beside.together = true // the GPU's clock does not separate them
	mixed := beside
	mixed.mixed = true // but the run does
	change := func(m mix, by func(*mix)) mix { by(&m); return m }
	for _, c := range []struct {
		name   string
		with   mix
		really mix
		wanted []replay.Wanted
	}{
		{"a kernel, one thread", one, change(one, func(m *mix) { m.matmul /= 2 }),
			[]replay.Wanted{{Kind: "kernel", Pattern: "matmul*", Factor: 0.5}}},
		{"a kernel and what is between, one thread", one, change(one, func(m *mix) { m.matmul /= 4; m.think = 0 }),
			[]replay.Wanted{{Kind: "kernel", Pattern: "matmul*", Factor: 0.25}, {Kind: "thread", Pattern: "*"}}},
		{"two in flight", one, change(one, func(m *mix) { m.ahead = 2 }), []replay.Wanted{{Kind: "in-flight", Pattern: "2"}}},
		{"three in flight of half", one, change(one, func(m *mix) { m.ahead = 3; m.matmul /= 2; m.gelu /= 2 }),
			[]replay.Wanted{{Kind: "in-flight", Pattern: "3"}, {Kind: "kernel", Pattern: "*", Factor: 0.5}}},
		{"a kernel, four threads", four, change(four, func(m *mix) { m.matmul /= 2 }),
			[]replay.Wanted{{Kind: "kernel", Pattern: "matmul_f32", Factor: 0.5}}},
		{"a kernel beside another in a command buffer", mixed, change(mixed, func(m *mix) { m.matmul /= 2 }),
			[]replay.Wanted{{Kind: "kernel", Pattern: "matmul*", Factor: 0.5}}},
		{"a call, four threads", four, change(four, func(m *mix) { m.commit /= 4 }),
			[]replay.Wanted{{Kind: "call", Pattern: "commit", Factor: 0.25}}},
		{"a slower call", four, change(four, func(m *mix) { m.commit *= 4 }),
			[]replay.Wanted{{Kind: "call", Pattern: "commit", Factor: 4}}},
		{"threads, four threads", four, change(four, func(m *mix) { m.think /= 2 }),
			[]replay.Wanted{{Kind: "thread", Pattern: "*", Factor: 0.5}}},
		{"a kernel, a full GPU", full, change(full, func(m *mix) { m.matmul /= 2 }),
			[]replay.Wanted{{Kind: "kernel", Pattern: "m*l*32", Factor: 0.5}}},
		{"a kernel, of all who wait for each other", everybody, change(everybody, func(m *mix) { m.matmul /= 2 }),
			[]replay.Wanted{{Kind: "kernel", Pattern: "matmul*", Factor: 0.5}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			trace := load(t, c.with.build().Run(t))
			real := rate(load(t, c.really.build().Run(t))) / rate(trace)
			a := cause.Analyze(trace, cause.Options{})
			g, why, err := a.Predict(c.wanted)
			if err != nil || why != "" {
				t.Fatalf("nothing is predicted: %s %v; verdict %s, replay error %.2f", why, err, a.Verdict.Cause, a.ReplayError)
			}
			t.Logf("predicted %.2f (%.2f to %.2f), real %.2f", g.Estimate, g.Low, g.High, real)
			if off := g.Estimate/real - 1; !c.with.together && (off > 0.1 || off < -0.1) || real < g.Low || real > g.High {
				t.Errorf("predicted %.2f (%.2f to %.2f), the run is %.2f times as fast", g.Estimate, g.Low, g.High, real)
			}
		})
	}
}

// Nothing is predicted for a kernel that always shares its command buffers with the same other kernel: thread counts do
// not separate the two.
func TestNothingIsPredictedOfKernelsThatAreNotIdentified(t *testing.T) {
	m := mix{engines: 1, threads: 1, matmul: 600 * us, gelu: 150 * us, think: 100 * us, commit: 3 * us, together: true}
	a := cause.Analyze(load(t, m.build().Run(t)), cause.Options{})
	if _, why, err := a.Predict([]replay.Wanted{{Kind: "kernel", Pattern: "matmul*", Factor: 0.5}}); err != nil ||
		!strings.Contains(why, "does not show what kernel matmul_f32 costs") {
		t.Errorf("%q, %v", why, err)
	}
	for _, g := range a.Gains() {
		if g.Kind == replay.KindKernel {
			t.Errorf("%+v", g)
		}
	}
}

// The story: one thread launches kernels, and the GPU is busy for 79% of the time. The verdict was none, because
// nothing is serialized. But the kernels take most of the run, and with one more command buffer in flight the GPU would
// never be idle.
func TestOneThreadThatLaunchesKernels(t *testing.T) {
	a := cause.Analyze(load(t, mix{engines: 1, threads: 1, matmul: 600 * us, gelu: 180 * us, think: 180 * us,
		commit: 3 * us}.build().Run(t)), cause.Options{})
	if v := a.Verdict; v.Cause != cause.GPUBound || v.Share < 0.75 {
		t.Fatalf("%s, %.2f of the time: %s", v.Cause, v.Share, v.Summary)
	}
	said := strings.Join(a.Verdict.Causes[0].Evidence, "\n")
	for _, want := range []string{"kernel matmul_f32: if it took half of its time, the run would be 1.4", "kernel gelu",
		"with 2 rounds in flight the run would be 1."} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said:\n%s", want, said)
		}
	}
	gains := a.Gains()
	if len(gains) == 0 || gains[0].Kind != replay.KindKernel || gains[0].Name != "matmul_f32" {
		t.Fatalf("what helps most is %+v", gains)
	}
	last := map[string]float64{}
	for _, g := range gains { // the less a thing takes, the faster the run
		if g.Low > g.Estimate || g.High < g.Estimate || g.Estimate < last[g.Kind+g.Name]-0.01 {
			t.Errorf("%+v after %.2f", g, last[g.Kind+g.Name])
		}
		last[g.Kind+g.Name] = g.Estimate
	}
}

// A part of the program that takes no time brings no gain. A name that is not in the program is an error, which lists
// the names that are.
func TestNothingToGain(t *testing.T) {
	a := cause.Analyze(scenario(t, "independent threads"), cause.Options{})
	g, why, err := a.Predict([]replay.Wanted{{Kind: "kernel", Pattern: "*", Factor: 1}})
	if err != nil || why != "" || g.Estimate < 0.999 || g.Estimate > 1.001 {
		t.Errorf("unchanged: %+v, %s, %v", g, why, err)
	}
	if _, _, err := a.Predict([]replay.Wanted{{Kind: "kernel", Pattern: "gemm", Factor: 0}}); err == nil ||
		!strings.Contains(err.Error(), "step") {
		t.Errorf("a kernel that is not there: %v", err)
	}
	// Asking for a wait that takes half the time was answered with 1.00×. A wait is no call that could take less time;
	// its time is the GPU's work meanwhile.
	for _, pattern := range []string{"waitUntil*", "waitUntilCompleted"} {
		if g, _, err := a.Predict([]replay.Wanted{{Kind: "call", Pattern: pattern, Factor: 0.5}}); err == nil ||
			!strings.Contains(err.Error(), "waits for other work") {
			t.Errorf("call:%s=0.5: %v, error %v", pattern, g, err)
		}
	}
	if g, why, err := cause.Analyze(&analyze.Trace{}, cause.Options{}).Predict(
		[]replay.Wanted{{Kind: "kernel", Pattern: "*"}}); err != nil || why == "" {
		t.Errorf("of an empty trace: %+v, %q, %v", g, why, err)
	}
}

// The story: a thread submits the work of the others. Two command buffers in flight were predicted to bring 1.28×. But
// the submitter answers when the work is done, and is idle until the next request.
func TestInFlightForOthers(t *testing.T) {
	s := tracesim.NewSim(8, 7)
	asked, answered, q := &tracesim.Shelf{}, &tracesim.Shelf{}, s.NewQueue("", 0)
	s.Thread(func(t *tracesim.Thread) {
		for range 100 {
			t.Sleep(800 * us)
			asked.Put(t)
			answered.Take(t)
		}
		asked.Close()
	})
	s.Thread(func(t *tracesim.Thread) {
		for asked.Take(t) {
			b := t.CommandBuffer(q)
			t.Encode(b, "step", 300*us)
			t.Commit(b)
			t.Wait(b)
			answered.Put(t)
		}
	})
	gains := cause.Analyze(load(t, s.Run(t)), cause.Options{}).Gains()
	if len(gains) == 0 {
		t.Fatal("nothing helps")
	}
	for _, g := range gains {
		if g.Kind == replay.KindInFlight {
			t.Errorf("%s in flight: %.2f", g.Name, g.Estimate)
		}
	}
}

// The story: where launching is the cause, the time that threads spend outside of Metal per command buffer was replayed
// unchanged. Some of it disappears with the command buffers: of five such programs on 16 processors three were faster
// than the predicted interval.
func TestOwnTimeOfLaunches(t *testing.T) {
	run := func(own int64, each int) *analyze.Trace {
		s := tracesim.NewSim(8, 7)
		s.Costs.Schedule, s.Costs.Notify = 100*us, 60*us
		for range 2 {
			q := s.NewQueue("", 0)
			s.Thread(func(t *tracesim.Thread) {
				for range 800 / each {
					b := t.CommandBuffer(q)
					t.Encode(b, "step", int64(each)*9*us)
					t.Commit(b)
					t.Wait(b)
					t.Work(own)
				}
			})
		}
		return load(t, s.Run(t))
	}
	trace := run(8*us, 1)
	v := cause.Analyze(trace, cause.Options{}).Verdict
	if v.Cause != cause.LaunchBound || v.Causes[0].Speedup == nil {
		t.Fatalf("%s: %s", v.Cause, v.Summary)
	}
	for what, own := range map[string]int64{"with the command buffers": 8 * us, "with the work": 16 * 8 * us} {
		real, s := 16*rate(run(own, 16))/rate(trace), v.Causes[0].Speedup
		t.Logf("%s: predicted %.2f (%.2f to %.2f), real %.2f", what, s.Estimate, s.Low, s.High, real)
		if real < s.Low || real > s.High {
			t.Errorf("%s: predicted %.2f (%.2f to %.2f), the run is %.2f times as fast", what, s.Estimate, s.Low, s.High, real)
		}
	}
}

// The story: two locks without names of their own are both named after the function that waits. The table had one line
// for them, with the numbers of the lock that brings less. A prediction for a name covers all locks of that name, as a
// question for that name does.
func TestLocksOfOneName(t *testing.T) {
	s := tracesim.NewSim(8, 7)
	locks := [2]tracesim.Lock{{Seen: true}, {Seen: true}}
	for i := range 6 {
		lock, q := &locks[i%2], s.NewQueue("", 0)
		s.Thread(func(t *tracesim.Thread) {
			for range 100 {
				t.Lock(lock)
				t.Work(int64(4+i%2) * 100 * us)
				t.Unlock(lock)
				b := t.CommandBuffer(q)
				t.Encode(b, "step", 100*us)
				t.Commit(b)
				t.Wait(b)
			}
		})
	}
	trace := load(t, s.Run(t))
	for i := range trace.CPUWaits.Locks {
		if l := &trace.CPUWaits.Locks[i]; l.Thread.ID%2 == 0 { // the simulated ones have one address
			l.Lock++
		}
	}
	a := cause.Analyze(trace, cause.Options{})
	said := map[float64]float64{}
	for _, g := range a.Gains() {
		if g.Kind != replay.KindLock {
			continue
		}
		if said[g.Factor] > 0 {
			t.Errorf("lock %s, factor %g: %.2f, and once more %.2f", g.Name, g.Factor, said[g.Factor], g.Estimate)
		}
		said[g.Factor] = g.Estimate
	}
	asked, why, err := a.Predict([]replay.Wanted{{Kind: "lock", Pattern: "lock", Factor: 0}})
	if err != nil || why != "" || said[0] < 1.5 || said[0] != asked.Estimate {
		t.Errorf("without the locks: %.3f, and where that is asked for %.3f (%s, %v)", said[0], asked.Estimate, why, err)
	}
}
