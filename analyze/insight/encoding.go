package insight

import (
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/collector/wire"
)

// encodingCalls finds programs that spend much time on encoding, most of it in one call that a cheaper call could
// replace.
func encodingCalls(in *Input) *Insight {
	var c evidence.EncodingCall
	if in.Analysis != nil {
		c = in.Analysis.Evidence.Launch.Encoding
	}
	cure := wire.EncodingCure(c.Selector)
	if cure == "" || float64(c.Encoding) < policy.WorthEncoding*float64(in.threadTime()) ||
		len(in.Trace.CommandBuffers) == 0 {
		return nil
	}
	i := &Insight{Severity: in.weigh(c.Time), Cost: c.Time, Advice: cure,
		Evidence: fmt.Sprintf("%s makes up %s of the time for encoding, %s: %s, %.0f for each command buffer", c.Selector,
			analyze.FormatShare(float64(c.Time)/float64(c.Encoding)), in.ofThreads(c.Time), analyze.Plural(c.Count, "call"),
			float64(c.Count)/float64(len(in.Trace.CommandBuffers)))}
	if c.Between*2 > c.Time {
		i.Evidence += fmt.Sprintf("; %s of that is the program's own time between two of these calls, %s each", c.Between,
			c.Between/analyze.Nanos(max(1, c.Count)))
	}
	return i
}

// threadTime returns the working time of the threads that submit work; 0 if it is not known. Costs are reported as
// shares of this time.
func (in *Input) threadTime() analyze.Nanos {
	if in.Analysis == nil {
		return 0
	}
	return in.Analysis.Evidence.Times.Working()
}
