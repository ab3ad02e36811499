package wire

import "strings"

// encodingCures is the advice for calls that can make up most of the encoding time, by prefix of the selector.
var encodingCures = []struct{ selector, advice string }{
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

// EncodingCure returns what to call instead of calling a selector thousands of times, or "" if nothing is better.
func EncodingCure(selector string) string {
	for _, cure := range encodingCures {
		if strings.HasPrefix(selector, cure.selector) {
			return cure.advice
		}
	}
	return ""
}
