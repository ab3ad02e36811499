package insight

import (
	"fmt"
	"strings"

	"mtrace/analyze"
)

// cures are what to do about calls of which encoding may mostly consist, by the begin of their selectors.
var cures = []struct{ selector, advice string }{
	{"useResource", "make resources resident together: take them from a heap and call useHeap: once, or put them " +
		"into a residency set (MTLResidencySet) " +
		"that the queue has"},
	{"useHeap", "call useHeap: once for each encoder, or put heaps into a residency set (MTLResidencySet) that " +
		"the queue has"},
	{"setBytes", "put constants into one buffer, and move along in it with setBufferOffset:atIndex:"},
	{"setBuffers", "put buffers into an argument buffer that is filled once"},
	{"setBuffer", "set several at once with setBuffers:offsets:withRange:, move along in one with " +
		"setBufferOffset:atIndex:, or fill an argument buffer once"},
	{"setTexture", "set several at once with setTextures:withRange:, or put them into an argument buffer that is " +
		"filled once"},
	{"setSamplerState", "put samplers into an argument buffer that is filled once, or into the shader as constants"},
	{"setComputePipelineState", "order dispatches by pipeline state, so that it changes seldom"},
	{"pushDebugGroup", "leave debug groups out of builds that are measured"},
	{"popDebugGroup", "leave debug groups out of builds that are measured"},
	{"insertDebugSignpost", "leave signposts out of builds that are measured"},
	{"updateFence", "order work by barriers within one encoder, or let Metal track hazards"},
	{"waitForFence", "order work by barriers within one encoder, or let Metal track hazards"},
	{"memoryBarrier", "put what does not depend on each other between two barriers, and not a barrier after each " +
		"dispatch"},
	{"copyFrom", "copy larger ranges at a time, or share the memory so that nothing is to be copied"},
	{"computeCommandEncoder", "encode several dispatches into one encoder"},
	{"blitCommandEncoder", "encode several copies into one encoder"},
}

// encodingCalls: encoding takes long, and most of that is one call which another one could replace.
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
	if most == nil || all*worthEncoding < in.threadTime() || mostTime*2 < all || len(in.Trace.CommandBuffers) == 0 {
		return nil
	}
	for _, cure := range cures {
		if !strings.HasPrefix(most.Selector, cure.selector) {
			continue
		}
		return &Insight{Severity: in.weigh(mostTime), Cost: mostTime, Advice: cure.advice,
			Evidence: fmt.Sprintf("%s makes up %s of the time for encoding, %s: %s, %.0f for each command buffer",
				most.Selector,
				analyze.FormatShare(float64(mostTime)/float64(all)), in.ofThreads(mostTime),
				analyze.Plural(most.Count, "call"),
				float64(most.Count)/float64(len(in.Trace.CommandBuffers)))}
	}
	return nil
}

// worthEncoding is one in so many: encoding that takes a smaller part of the threads' time is not worth looking at.
const worthEncoding = 10

// threadTime is the time of the threads that submit work.
func (in *Input) threadTime() analyze.Nanos {
	if in.Serial == nil {
		return 0
	}
	return in.Serial.ThreadTimeTotal()
}
