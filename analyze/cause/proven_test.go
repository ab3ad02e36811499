package cause

import (
	"math/rand/v2"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/replay"
	"mtrace/fixtures/handmade"
)

const microsecond = 1_000

// A fault is not the verdict if the predicted gain of its removal is within the prediction's error, or if a statistical
// test cannot distinguish it from chance, whatever time is attributed to it.
func TestVerdictNeedsProof(t *testing.T) {
	trace := &analyze.Trace{CommandBuffers: make([]analyze.CommandBuffer, 100)}
	for name, c := range map[string]struct {
		fault Finding
		want  string
	}{
		"gain and no test": {Finding{Speedup: &replay.Speedup{Estimate: 1.4, Low: 1.2, High: 1.6}},
			CompletionHandlers},
		"nothing is predicted": {Finding{Unpredicted: "why"}, CompletionHandlers},
		"as fast without it": {Finding{Speedup: &replay.Speedup{Estimate: 1, Low: 0.95, High: 1.17}},
			GPUBound},
		"as fast without it, perhaps": {Finding{Speedup: &replay.Speedup{Estimate: 1.3, Low: 0.98, High: 1.5}},
			GPUBound},
		"as fast only if the GPU has no room": {Finding{Speedup: &replay.Speedup{Estimate: 3.8, Low: 0.91, High: 4.1,
			LowWithCapacity: 3.4}}, CompletionHandlers},
		"as fast, whatever room the GPU has": {Finding{Speedup: &replay.Speedup{Estimate: 1, Low: 0.91, High: 4.1,
			LowWithCapacity: 0.95}}, GPUBound},
		"a test that speaks":                     {Finding{QValue: 0.01}, CompletionHandlers},
		"a test that says that it may be chance": {Finding{QValue: 0.955}, GPUBound},
	} {
		f := c.fault
		f.Cause, f.Present, f.Lost = CompletionHandlers, true, 300
		v := Verdict{Causes: []Finding{f, {Cause: GPUBound, Present: true, Standing: Limit, Lost: 400}}}
		v.decide(&evidence.Evidence{Trace: trace, Submitters: evidence.Submitters{Time: 1000}})
		if v.Cause != c.want || v.Causes[0].Cause != c.want {
			t.Errorf("%s: %s, want %s", name, v.Cause, c.want)
		}
	}
}

// Eight threads without a lock: their commits end at regular intervals, like the GPU's completions that they follow,
// and take as long with other threads inside as without. The verdict was lock-contention, with a confidence of 0.75 and
// "rank correlation -0.11, p = 0.955" as its evidence.
func TestNoLockInARhythmAlone(t *testing.T) {
	const calls, period = 400, 100 * microsecond
	for seed := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, 3))
		w := handmade.New((calls + 20) * period)
		threads := []*analyze.Thread{w.A, w.B, w.C}
		for len(threads) < 8 {
			th := &analyze.Thread{Process: w.A.Process, ID: analyze.ThreadID(len(threads) + 1), Active: w.Trace.TimeRange}
			threads, w.Trace.Threads = append(threads, th), append(w.Trace.Threads, th)
		}
		for i := range calls {
			by, end := threads[i%len(threads)], analyze.Nanos(i+9)*period+analyze.Nanos(random.IntN(5*microsecond))
			took := analyze.Nanos(50*microsecond + random.IntN(600*microsecond))
			b := w.Buffer(by, end-took, handmade.At(end+10*microsecond, end+60*microsecond))
			b.Committed.End = end
			b.Handlers, b.Completed = 1, handmade.At(b.GPU.End+5*microsecond, b.GPU.End+6*microsecond)
		}
		a := Analyze(w.Trace, Options{Seed: seed})
		if f := a.Verdict.finding(LockContention); f != nil {
			t.Errorf("seed %d: %s: %q", seed, a.Verdict.Cause, f.Evidence)
		}
	}
}

// Empty handlers on busy processors: the program notices completions late, and then many of them directly one after the
// other. The handlers take 2 µs each. They were once blamed for the threads' waits, with a predicted gain of 1.00 (0.95
// to 1.17).
func TestEmptyHandlersAreNotSlow(t *testing.T) {
	const rounds, batch, work = 60, 8, 100 * microsecond
	w := handmade.New((rounds + 2) * batch * work)
	threads := []*analyze.Thread{w.A, w.B, w.C}
	at := analyze.Nanos(microsecond)
	for range rounds {
		var last analyze.Nanos
		for i := range batch {
			b := w.Buffer(threads[i%len(threads)], at+analyze.Nanos(i+1)*microsecond,
				handmade.At(at+analyze.Nanos(i)*work+20*microsecond, at+analyze.Nanos(i+1)*work))
			b.Handlers = 1
			noticed := at + batch*work + 300*microsecond + analyze.Nanos(i)*2*microsecond
			b.Completed = handmade.At(noticed, noticed+200)
			if i >= batch-len(threads) {
				w.Wait(threads[i%len(threads)], handmade.At(at+20*microsecond, noticed+5*microsecond), b)
			}
			last = noticed
		}
		at = last + 10*microsecond
	}
	a := Analyze(w.Trace, Options{})
	if f := a.Verdict.finding(CompletionHandlers); f != nil {
		t.Errorf("%s: %q", a.Verdict.Cause, f.Evidence)
	}
	if a.Verdict.Cause == CompletionHandlers {
		t.Error("the verdict is completion-handlers")
	}
}

// What would help has no row with a gain of nothing.
func TestNoGainIsNoRow(t *testing.T) {
	sure, none := replay.Speedup{Estimate: 1.5, Low: 1.4, High: 1.6}, replay.Speedup{Estimate: 1.02, Low: 0.95, High: 1.17}
	rows := thatGain([]replay.Gain{
		{Kind: "kernel", Name: "a", Factor: 0.9, Speedup: none}, {Kind: "kernel", Name: "a", Factor: 0.5, Speedup: sure},
		{Kind: "kernel", Name: "b", Factor: 0.5, Speedup: none}, {Kind: "kernel", Name: "b", Factor: 0, Speedup: none},
		{Kind: KindCause, Name: CompletionHandlers, Speedup: none}, {Kind: KindCause, Name: QueueDepth, Speedup: sure},
	})
	var names []string
	for _, g := range rows {
		names = append(names, g.Name)
	}
	if len(names) != 3 || names[0] != "a" || names[1] != "a" || names[2] != QueueDepth {
		t.Errorf("rows for %q", names)
	}
}
