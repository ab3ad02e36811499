package extract

import (
	"math/rand/v2"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/replay/program"
	"mtrace/fixtures/loops"
)

// TestLimitAlike tells of queues that run one command buffer at a time. That was detected for two of them, and not for
// five, which had work ready only while the GPU was full. These were replayed without a limit, and finished before the
// GPU's work could.
func TestLimitAlike(t *testing.T) {
	queues := []program.Queue{{AtOnce: 1, Limited: true}, {AtOnce: 1}, {AtOnce: 2, Device: 1},
		{AtOnce: 1, Device: 1, Limited: true}}
	limitAlike(queues, 2)
	if q := queues[1]; !q.Limited || q.AtOnce != 1 {
		t.Errorf("%+v beside one that is limited to one", q)
	}
	if q := queues[2]; q.Limited {
		t.Errorf("%+v is limited, though it ran more than the one that is", q)
	}
}

// TestHelps tells of a framework's threads, which are in the trace when they wait for locks. Their processor time was
// treated as work of the program at a pace of its own, independent of its threads, instead of a cost of each command
// buffer.
func TestHelps(t *testing.T) {
	if th := (program.Thread{Steps: []program.Step{{Kind: program.Lock}, {Kind: program.Lock}}}); !helps(&th) {
		t.Error("a thread that only waits for locks works for itself")
	}
	if th := (program.Thread{Steps: []program.Step{{Kind: program.Lock}, {Kind: program.Commit}}}); helps(&th) {
		t.Error("a thread that commits works for others")
	}
}

// TestRunOnProcessors: the GPU's work is executed on processors if the process used enough processor time for it, and
// more than submission takes.
func TestRunOnProcessors(t *testing.T) {
	for _, c := range []struct {
		what  string
		alone analyze.Nanos
		used  float64
		want  bool
	}{
		{"enough", 300 * us, 1e9, true},
		{"too few", 300 * us, 0.9 * 1200 * 300e3, false},
		{"enough, maybe to submit the work", 100 * us, 1e9, false},
	} {
		p := loops.Of(6, 200, 0, 300*us)
		for i := range p.Jobs {
			p.Jobs[i].ProcessorTime, p.Jobs[i].ConcurrencyLoss = c.alone, 0.5
		}
		work := runOnProcessors(p, c.used)
		if p.Processors.RunGPU != c.want || (work > 0) != c.want || (p.Jobs[0].ConcurrencyLoss == 0) != c.want {
			t.Errorf("%s: %v, with %v of work", c.what, p.Processors.RunGPU, work)
		}
	}
}

// TestMarkFences: an empty command buffer that is waited for is a fence.
func TestMarkFences(t *testing.T) {
	p := loops.Of(1, 2, 0, us)
	p.Threads[0].Steps[2].Barrier = true
	if markFences(p); !p.Jobs[0].Fence || p.Jobs[1].Fence {
		t.Errorf("%+v, want the first one to be a fence", p.Jobs)
	}
}

// TestUnlockedByChance tells of a lock that cost a twentieth and was predicted to bring a fifth. The time of a thread
// after a wait for a lock was cut down to its usual time without a wait whenever it was longer, although half of all
// times are longer by chance.
func TestUnlockedByChance(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var th program.Thread
	var took, left analyze.Nanos
	for k := range 400 {
		own := analyze.Nanos(240_000 + random.Int64N(120_000))
		took += own
		if k%2 == 0 {
			th.Add(program.Step{Kind: program.Lock, Gap: own / 2, Cost: 50_000}, program.Detail{})
			own -= own / 2
		}
		th.Add(program.Step{Kind: program.Acquire, Gap: own}, program.Detail{})
	}
	findUnlocked([]program.Thread{th})
	for _, d := range th.Details {
		left += d.Unlocked
	}
	if off := float64(left)/float64(took) - 1; off < -0.015 || off > 0 {
		t.Errorf("without the lock threads take %+.1f%% of their own time more, want next to nothing: it does not go "+
			"with the lock", 100*off)
	}
}

// TestUnlockedIsEachThreadsOwn tells of workers that were predicted to need 1 µs between two calls without a lock,
// where they sleep for 400 µs: the value came from another thread, which does not sleep there, and never waited for the
// lock.
func TestUnlockedIsEachThreadsOwn(t *testing.T) {
	threads := make([]program.Thread, 2)
	add := func(th *program.Thread, k program.Kind, gap analyze.Nanos) {
		th.Add(program.Step{Kind: k, Gap: gap}, program.Detail{})
	}
	for range 30 {
		add(&threads[0], program.Wait, us)
		add(&threads[1], program.Lock, us)
		add(&threads[1], program.Wait, 400*us)
	}
	findUnlocked(threads)
	if got := threads[1].Details[3].Unlocked; got != 400*us {
		t.Errorf("the second thread takes %v without the lock, want 400 µs", got)
	}
	for i := range 20 { // it does not always wait: then it takes 300
		add(&threads[1], program.Wait, 300*us+analyze.Nanos(i))
	}
	findUnlocked(threads)
	if got := threads[1].Details[2].Unlocked + threads[1].Details[3].Unlocked; got < 295*us || got > 305*us {
		t.Errorf("it takes %v without the lock, want the 300 µs of when it did not wait", got)
	}
}
