package insight

import (
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// unlabelled finds queues and command buffers without labels. Reports and Instruments show numbers for them instead
// of names.
func unlabelled(in *Input) *Insight {
	if in.rounds.most < policy.FewestRounds {
		return skip(tooFew)
	}
	queues, buffers := 0, 0
	for _, q := range in.Trace.Queues {
		if strings.TrimSpace(q.Label) == "" {
			queues++
		}
	}
	var where sites
	for b := range in.Trace.Buffers() {
		if b.Label == "" {
			buffers++
			where.add(&b.Created, "commandBuffer", "", 1, 0, 0)
		}
	}
	if queues == 0 && of(buffers, len(in.Trace.CommandBuffers)) < policy.InsightMajority {
		return nil
	}
	return &Insight{Severity: Info, Where: where.most(),
		Evidence: fmt.Sprintf("%d of %s and %d of %s have no label", queues, analyze.Plural(len(in.Trace.Queues),
			"queue"),
			buffers,
			analyze.Plural(len(in.Trace.CommandBuffers), "command buffer"))}
}

// layers lists Metal's debugging layers by the prefixes of the classes with which each layer wraps Metal's objects. A
// layer makes each call slower, so times measured with it are wrong.
var layers = []struct{ prefix, what, advice string }{
	{"MTLDebug", "Metal's validation layer", "unset MTL_DEBUG_LAYER"},
	{"MTLGPUDebug", "shader validation", "unset MTL_SHADER_VALIDATION"},
	{"CaptureMTL", "GPU frame capture", "unset METAL_CAPTURE_ENABLED, or run without Xcode's capture"},
}

// validation finds out whether one of Metal's validation or capture layers was in use, which makes measured times
// wrong.
func validation(in *Input) *Insight {
	for _, l := range layers {
		if slices.ContainsFunc(in.Trace.Calls, func(c *analyze.CallStat) bool {
			return strings.HasPrefix(c.Class,
				l.prefix)
		}) {
			return &Insight{Severity: Warning, Evidence: fmt.Sprintf(
				"%s is in use: calls, and perhaps kernels, take longer than without it", l.what),
				Advice: l.advice + " to measure"}
		}
	}
	return nil
}
