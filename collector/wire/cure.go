package wire

import "strings"

// encodingCures has advice for calls that can make up most of the time spent encoding. The first entry whose selector
// is a prefix of the call's selector applies, so "setBuffers" must come before "setBuffer".
var encodingCures = []struct{ selector, advice string }{
	{"useResource", "make resources resident together: allocate them from a heap and call useHeap: once, " +
		"or put them into a residency set (MTLResidencySet) that the queue has"},
	{"useHeap", "call useHeap: once for each encoder, " +
		"or put heaps into a residency set (MTLResidencySet) that the queue has"},
	{"setBytes", "put constants into one buffer, and select them in it with setBufferOffset:atIndex:"},
	{"setBuffers", "put buffers into an argument buffer that is filled once"},
	{"setBuffer", "set several at once with setBuffers:offsets:withRange:, " +
		"select a part of one buffer with setBufferOffset:atIndex:, or fill an argument buffer once"},
	{"setTexture", "set several at once with setTextures:withRange:, " +
		"or put them into an argument buffer that is filled once"},
	{"setSamplerState", "put samplers into an argument buffer that is filled once, or into the shader as constants"},
	{"setComputePipelineState", "order dispatches by pipeline state, so that the state seldom changes"},
	{"pushDebugGroup", "remove debug groups from builds that are measured"},
	{"popDebugGroup", "remove debug groups from builds that are measured"},
	{"insertDebugSignpost", "remove signposts from builds that are measured"},
	{"updateFence", "order work by barriers within one encoder, or let Metal track hazards"},
	{"waitForFence", "order work by barriers within one encoder, or let Metal track hazards"},
	{"memoryBarrier", "encode independent work between two barriers, instead of a barrier after each dispatch"},
	{"copyFrom", "copy larger ranges at a time, or use shared memory, which needs no copies"},
	{"computeCommandEncoder", "encode several dispatches into one encoder"},
	{"blitCommandEncoder", "encode several copies into one encoder"},
}

// EncodingCure returns advice for a program that calls the method with this selector thousands of times, or "" if
// there is none.
func EncodingCure(selector string) string {
	for _, cure := range encodingCures {
		if strings.HasPrefix(selector, cure.selector) {
			return cure.advice
		}
	}
	return ""
}
