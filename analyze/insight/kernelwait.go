package insight

import (
	"fmt"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// kernelWaits finds kernels that wait on the GPU, while they run, for work of another queue (by polling memory), for
// more than a negligible share of the GPU's busy time.
func kernelWaits(in *Input) *Insight {
	all, busy := in.Analysis.Evidence.Execution.KernelWaits, in.Analysis.Evidence.GPU.Busy
	first := slices.IndexFunc(all, func(w evidence.KernelWait) bool {
		return !w.Unproven && policy.AtLeast(policy.NegligibleShare, w.Time, busy)
	})
	if first < 0 {
		return nil
	}
	w := &all[first]
	var where sites
	for b := range in.Trace.Buffers() {
		if b.Queue == w.Waiting {
			where.add(&b.Committed, "commit", name(b), 1, b.Took(b.GPU), 0)
		}
	}
	short := ""
	if w.Short > 0 {
		short = fmt.Sprintf("; %d others are too short to have waited", w.Short)
	}
	return &Insight{Severity: Info, Cost: w.Time, Where: where.most(),
		Evidence: fmt.Sprintf("%d of %d command buffers of queue %s end %s after work of queue %s that began later: "+
			"their kernels wait on the GPU for that work, for %s in all%s", w.Follow, w.Of+w.Short, queueName(w.Waiting),
			w.Usual, queueName(w.Awaited), w.Time, short)}
}

// queueName returns a queue's label in quotes, or its number.
func queueName(q *analyze.Queue) string {
	if q.Label != "" {
		return fmt.Sprintf("%q", q.Label)
	}
	return fmt.Sprint(q.ID)
}
