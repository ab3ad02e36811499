package replay

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/replay/change"
	"mtrace/analyze/replay/program"
	"mtrace/fixtures/loops"
)

// TestResampled: the drawn times are the thread's own, in runs of consecutive ones, and the program is not modified.
func TestResampled(t *testing.T) {
	p := loops.Of(2, 120, 0, 0)
	for i := range p.Threads {
		for k := range p.Threads[i].Steps {
			p.Threads[i].Steps[k].Gap = analyze.Nanos(1000*i + k)
		}
	}
	q := newResample(p, rand.New(rand.NewPCG(1, 2))).program(p)
	moved, follows, acquires := 0, 0, 0
	for i := range q.Threads {
		last := analyze.Nanos(-1)
		for k := range q.Threads[i].Steps {
			a, b := &q.Threads[i].Steps[k], &p.Threads[i].Steps[k]
			if a.Kind != b.Kind || a.Job != b.Job || b.Gap != analyze.Nanos(1000*i+k) {
				t.Fatalf("thread %d, step %d: %+v where %+v was", i, k, a, b)
			}
			if from := int(a.Gap) - 1000*i; from < 0 || from >= len(p.Threads[i].Steps) ||
				p.Threads[i].Steps[from].Kind != a.Kind {
				t.Fatalf("thread %d, step %d: %d is no time of such a step", i, k, a.Gap)
			}
			if a.Kind == program.Acquire {
				if acquires++; a.Gap != b.Gap {
					moved++
				}
				if last >= 0 && a.Gap == last+3 {
					follows++
				}
				last = a.Gap
			}
		}
	}
	if moved*2 < acquires || follows*10 < acquires*8 {
		t.Errorf("of %d times, %d are others and %d follow what they followed", acquires, moved, follows)
	}
}

// TestResampledLeavesFewStepsAlone tells of the demo's main thread, which warms up with 12 command buffers and then
// sleeps for the run. If the sleep was not drawn the thread ended at once, and its pace was extrapolated: the program
// seemed seven times as fast, and with predictions from 0.20 to 2.12 times as fast, nothing was reported.
func TestResampledLeavesFewStepsAlone(t *testing.T) {
	p := loops.Of(3, 200, 100*us, 100*us)
	few := &p.Threads[2]
	few.Steps, few.Details, few.Jobs = few.Steps[:3*12], few.Details[:3*12], few.Jobs[:12]
	few.Steps[3*6].Gap = 39_000 * us
	p.FindPace()
	if few.Paces {
		t.Fatal("a thread that commits 12 of 412 sets the pace")
	}
	base := rateOf(t, p, Change{})
	random := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		if again := rateOf(t, newResample(p, random).program(p), Change{}); again > 1.1*base {
			t.Fatalf("%.1f times as fast with times drawn anew", again/base)
		}
	}
}

// TestShownInterval: readers are shown a wider interval than the one that decides verdicts.
func TestShownInterval(t *testing.T) {
	s := Speedup{Estimate: 2, Low: 1.6, High: 2.5, Spread: 0.5}
	low, high := s.Interval()
	more := 0.25 * (0.01 + math.Log(2)) // variance
	down, up := math.Sqrt(math.Pow(math.Log(2/1.6), 2)+more), math.Sqrt(math.Pow(math.Log(2.5/2), 2)+more)
	if math.Abs(low-2*math.Exp(-down)) > 1e-9 || math.Abs(high-2*math.Exp(up)) > 1e-9 {
		t.Errorf("%.3f to %.3f, want %.3f to %.3f", low, high, 2*math.Exp(-down), 2*math.Exp(up))
	}
	if !s.Proven() || s.Least() != 1.6 {
		t.Errorf("proven %t, least %.2f: the wider interval must not decide", s.Proven(), s.Least())
	}
	s.Spread = 0
	if low, high = s.Interval(); math.Abs(low-1.6) > 1e-9 || math.Abs(high-2.5) > 1e-9 {
		t.Errorf("%.3f to %.3f without spread, want 1.6 to 2.5", low, high)
	}
	inFlight, half := Change{Scale: &change.Scale{InFlight: 2}}, Change{Scale: &change.Scale{Kernels: []float64{0.5}}}
	if spreadOf(half) >= spreadOf(inFlight) || spreadOf(inFlight) != spreadOf(Change{Locks: true}) {
		t.Errorf("spread %.2f of a faster kernel, %.2f with two in flight, %.2f without a lock, "+
			"want the first to be smallest "+
			"and the others equal", spreadOf(half), spreadOf(inFlight), spreadOf(Change{Locks: true}))
	}
}
