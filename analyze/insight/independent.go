package insight

import (
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// independent finds serial compute encoders (which run one dispatch after the other) with dispatches that could run
// at the same time, because none uses a resource that another one writes.
func independent(in *Input) *Insight {
	var where sites
	encoders, dispatches, longest, known := 0, 0, 0, 0
	for b := range in.Trace.Buffers() {
		for i := range b.Encoders {
			e := &b.Encoders[i]
			c := e.Chain
			known += c.Dispatches
			if c.Longest == 0 || float64(c.Dispatches) < policy.IndependentDispatches*float64(c.Longest) {
				continue
			}
			encoders, dispatches, longest = encoders+1, dispatches+c.Dispatches, longest+c.Longest
			where.add(&e.Created, "an encoder made", e.Label, 1, 0, 0)
		}
	}
	if dispatches < policy.FewestIndependent || of(dispatches, known) < policy.IndependentShare {
		return nil
	}
	return &Insight{Severity: Info, Where: where.most(),
		Evidence: fmt.Sprintf(
			"%s %s %s; by the buffers and textures that they bind, only %d must run one after another; "+
				"a serial encoder runs all of them one after another",
			analyze.Plural(encoders, "serial compute encoder"), have(encoders), analyze.Plural(dispatches, "dispatch"),
			longest)}
}

func have(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}
