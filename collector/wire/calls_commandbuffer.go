package wire

const (
	newEncoder     = "x0 MTLDispatchType, x1 Sampling"
	sampledEncoder = "x1 Sampling" // with --gpu-timing encoder only: else there is no More record
)

// commandBufferCalls are the methods of MTLCommandBuffer.
var commandBufferCalls = [...]Row{
	{36, "computeCommandEncoder", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", sampledEncoder},
	{37, "computeCommandEncoderWithDispatchType:", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", newEncoder},
	{38, "computeCommandEncoderWithDescriptor:", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", newEncoder},
	{39, "blitCommandEncoder", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", sampledEncoder},
	{40, "blitCommandEncoderWithDescriptor:", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", sampledEncoder},
	{41, "renderCommandEncoderWithDescriptor:", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", ""},
	{42, "parallelRenderCommandEncoderWithDescriptor:", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", ""},
	{43, "resourceStateCommandEncoder", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", ""},
	{44, "resourceStateCommandEncoderWithDescriptor:", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", ""},
	{45, "accelerationStructureCommandEncoder", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", ""},
	{46, "accelerationStructureCommandEncoderWithDescriptor:", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", ""},
	{47, "enqueue", FamilyCommandBuffer, GroupCommit, "command buffer", "", ""},
	{48, "commit", FamilyCommandBuffer, GroupCommit, "command buffer", "", ""},
	{49, "waitUntilScheduled", FamilyCommandBuffer, GroupWait, "command buffer", "", ""},
	{50, "waitUntilCompleted", FamilyCommandBuffer, GroupWait, "command buffer", "", ""},
	{51, "setLabel:", FamilyCommandBuffer, GroupOther, "command buffer", "StringID of the label", ""},
	{52, "encodeSignalEvent:value:", FamilyCommandBuffer, GroupEncode, "command buffer", "value", "x0 event"},
	{53, "encodeWaitForEvent:value:", FamilyCommandBuffer, GroupEncode, "command buffer", "value", "x0 event"},
	{54, "addScheduledHandler:", FamilyCommandBuffer, GroupOther, "command buffer", "", ""},
	{55, "addCompletedHandler:", FamilyCommandBuffer, GroupOther, "command buffer", "", ""},

	{121, "presentDrawable:", FamilyCommandBuffer, GroupEncode, "command buffer", "", ""},
	{122, "presentDrawable:atTime:", FamilyCommandBuffer, GroupEncode, "command buffer", "", ""},
	{123, "presentDrawable:afterMinimumDuration:", FamilyCommandBuffer, GroupEncode, "command buffer", "", ""},
	{124, "pushDebugGroup:", FamilyCommandBuffer, GroupEncode, "command buffer", "StringID of the text", ""},
	{125, "popDebugGroup", FamilyCommandBuffer, GroupEncode, "command buffer", "", ""},
	{126, "useResidencySet:", FamilyCommandBuffer, GroupEncode, "command buffer", "residency set", ""},
	{127, "useResidencySets:count:", FamilyCommandBuffer, GroupEncode, "command buffer", "how many", ""},
}
