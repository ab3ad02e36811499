package insight

import (
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// unfreedBuffers finds a process that frees its command buffers late or never, so that most of them are alive at the
// same time and keep their resources.
func unfreedBuffers(in *Input) *Insight {
	var of *analyze.Process
	for _, p := range in.Trace.Processes {
		room := 0
		for _, q := range in.Trace.Queues {
			if q.Process == p {
				room += max(q.Capacity, policy.DefaultQueueDepth)
			}
		}
		a := p.Alive
		if a.Most >= policy.FewestUnreleased && a.Most > room &&
			float64(a.Most) >= policy.UnfreedBufferShare*float64(a.Made) &&
			(of == nil || a.Most > of.Alive.Most) {
			of = p
		}
	}
	if of == nil {
		return nil
	}
	var where sites
	for b := range in.Trace.Buffers() {
		if b.Process == of {
			where.add(&b.Created, "a command buffer made", b.Label, 1, 0, 0)
		}
	}
	a := of.Alive
	return &Insight{Severity: Warning, Where: where.most(),
		Evidence: fmt.Sprintf("process %d created %s: %s of them were alive at the same time and %s at the end; "+
			"each of them keeps its encoders and the resources that these use", of.ID, analyze.Plural(a.Made, "command buffer"),
			analyze.FormatCount(a.Most), analyze.FormatCount(a.Made-a.Freed))}
}
