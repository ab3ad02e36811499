package replay

import (
	"math"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// A processor that nothing has wanted for a while sleeps deeply, and takes long to wake: a hand-over that wakes such a one is slow. Without a cause
// there are more hand-overs, so processors sleep for less long. Where work comes by chance, the share of the processors that have slept for so long
// is exp(-rate * time): with k times as many hand-overs, what it was to the power of k.

// slowOf is the share of hand-overs that took several times as long as quick ones.
func slowOf(all []analyze.Nanos, quick analyze.Nanos) float64 {
	slow := 0
	for _, n := range all {
		if isSlow(n, quick) {
			slow++
		}
	}
	return float64(slow) / float64(max(1, len(all)))
}

func isSlow(n, quick analyze.Nanos) bool {
	return quick > 0 && n > evidence.Scaled(quick, policy.Outlier.Value)
}

// awake is what a hand-over takes on average in a run that has more of them, if the share of slow ones was so much in the recorded run. What it
// waited for a processor is no sleep.
func (p *program) awake(n, quick analyze.Nanos, slow float64) analyze.Nanos {
	if p.denser <= 1 || !isSlow(n, quick) {
		return n
	}
	return n - evidence.Scaled(n-quick, (1-p.hindered)*(1-math.Pow(slow, p.denser-1)))
}

// sleeps says whether processors are known to sleep so deeply that it shows.
func (p *program) sleeps() bool {
	return policy.Little.Value <= (1-p.hindered)*max(p.slowLatency, p.slowNotify)
}

// as is the program with so many times as many hand-overs as were recorded.
func (p *program) as(denser float64) *program {
	q := *p
	q.denser = denser
	return &q
}

// settled is how fast the program is with a change, and how many times as many hand-overs there are then: the faster it is, the less processors
// sleep, and the faster it is again. Larger command buffers are not more hand-overs.
func (p *program) settled(c Change, base float64) (rate, denser float64, ends bool) {
	denser = 1
	for range 4 {
		rate, ends = p.as(denser).run(c)
		if !ends || c.Launch || c.unchanged() || !p.sleeps() || rate <= denser*base*(1+policy.Negligible.Value) {
			break
		}
		denser = rate / base
	}
	return rate, denser, ends
}
