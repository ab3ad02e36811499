package insight

import (
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/collector/wire"
)

// encodingCalls finds programs that spend much time on encoding, most of it in one call that a cheaper call could
// replace.
func encodingCalls(in *Input) *Insight {
	var all analyze.Nanos
	var most *analyze.CallStat
	var mostTime analyze.Nanos
	for _, c := range in.Trace.Calls {
		if c.Part != analyze.PartEncode {
			continue
		}
		var own analyze.Nanos
		for _, n := range c.Exclusive {
			own += n
		}
		if all += own; own > mostTime {
			most, mostTime = c, own
		}
	}
	if most == nil || float64(all) < policy.WorthEncoding*float64(in.threadTime()) || mostTime*2 < all ||
		len(in.Trace.CommandBuffers) == 0 {
		return nil
	}
	advice := wire.EncodingCure(most.Selector)
	if advice == "" {
		return nil
	}
	return &Insight{Severity: in.weigh(mostTime), Cost: mostTime, Advice: advice,
		Evidence: fmt.Sprintf("%s makes up %s of the time for encoding, %s: %s, %.0f for each command buffer",
			most.Selector,
			analyze.FormatShare(float64(mostTime)/float64(all)), in.ofThreads(mostTime), analyze.Plural(most.Count,
				"call"),
			float64(most.Count)/float64(len(in.Trace.CommandBuffers)))}
}

// threadTime returns the working time of the threads that submit work, of which costs are a share; 0 if it is not
// known.
func (in *Input) threadTime() analyze.Nanos {
	if in.Serial == nil {
		return 0
	}
	return in.Serial.Evidence.Times.Working()
}
