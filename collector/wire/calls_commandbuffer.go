package wire

// The fields of the second record (More) of calls that create an encoder. sampledFields are recorded only with
// --gpu-timing encoder; without it these calls have no More record.
var (
	encoderFields = []Field{{At: InX0, Role: RoleDispatchType}, {At: InX1, Role: RoleSampling}}
	sampledFields = []Field{{At: InX1, Role: RoleSampling}}
)

// pollFields are the fields of the second record (More) of a getter that a thread calls in a loop. One record
// stands for consecutive calls that returned the same result. It is written when the result changes, begins with
// the first call, and ends with the last.
var pollFields = []Field{{At: InX0, Role: RolePolls, name: "questions"},
	{At: InX1, Role: RolePollGap, Unit: UnitTicks, name: "time between the last two questions in"}}

// commandBufferCalls has the rows of Table for the methods of MTLCommandBuffer. Traces contain the numbers of the
// rows, so a number must never change.
var commandBufferCalls = [...]Row{
	{36, "computeCommandEncoder", FamilyCommandBuffer, GroupEncode, EffectMakes, commandBuffer,
		made(KindComputeEncoder), sampledFields},
	{37, "computeCommandEncoderWithDispatchType:", FamilyCommandBuffer, GroupEncode, EffectMakes, commandBuffer,
		made(KindComputeEncoder), encoderFields},
	{38, "computeCommandEncoderWithDescriptor:", FamilyCommandBuffer, GroupEncode, EffectMakes, commandBuffer,
		made(KindComputeEncoder), encoderFields},
	{39, "blitCommandEncoder", FamilyCommandBuffer, GroupEncode, EffectMakes, commandBuffer, made(KindBlitEncoder),
		sampledFields},
	{40, "blitCommandEncoderWithDescriptor:", FamilyCommandBuffer, GroupEncode, EffectMakes, commandBuffer,
		made(KindBlitEncoder), sampledFields},
	{41, "renderCommandEncoderWithDescriptor:", FamilyCommandBuffer, GroupEncode, EffectMakes, commandBuffer,
		made(KindRenderEncoder), nil},
	{42, "parallelRenderCommandEncoderWithDescriptor:", FamilyCommandBuffer, GroupEncode, EffectMakes, commandBuffer,
		made(KindRenderEncoder), nil},
	{43, "resourceStateCommandEncoder", FamilyCommandBuffer, GroupEncode, EffectMakes, commandBuffer, made(KindEncoder),
		nil},
	{44, "resourceStateCommandEncoderWithDescriptor:", FamilyCommandBuffer, GroupEncode, EffectMakes, commandBuffer,
		made(KindEncoder), nil},
	{45, "accelerationStructureCommandEncoder", FamilyCommandBuffer, GroupEncode, EffectMakes, commandBuffer,
		made(KindEncoder), nil},
	{46, "accelerationStructureCommandEncoderWithDescriptor:", FamilyCommandBuffer, GroupEncode, EffectMakes,
		commandBuffer, made(KindEncoder), nil},
	{47, "enqueue", FamilyCommandBuffer, GroupCommit, EffectEnqueues, commandBuffer, none, nil},
	{48, "commit", FamilyCommandBuffer, GroupCommit, EffectCommits, commandBuffer, none, nil},
	{49, "waitUntilScheduled", FamilyCommandBuffer, GroupWait, EffectWaitsScheduled, commandBuffer, none, nil},
	{50, "waitUntilCompleted", FamilyCommandBuffer, GroupWait, EffectWaitsCompleted, commandBuffer, none, nil},
	{51, "setLabel:", FamilyCommandBuffer, GroupOther, EffectLabels, commandBuffer, theLabel, nil},
	{52, "encodeSignalEvent:value:", FamilyCommandBuffer, GroupEncode, EffectSignals, commandBuffer, eventValue,
		eventFields},
	{53, "encodeWaitForEvent:value:", FamilyCommandBuffer, GroupEncode, EffectAwaits, commandBuffer, eventValue,
		eventFields},
	{54, "addScheduledHandler:", FamilyCommandBuffer, GroupOther, EffectNone, commandBuffer, none, nil},
	{55, "addCompletedHandler:", FamilyCommandBuffer, GroupOther, EffectHandles, commandBuffer, none, nil},

	{491, "dealloc", FamilyCommandBuffer, GroupNone, EffectCounted, none, none, nil},
	{470, "status", FamilyCommandBuffer, GroupWait, EffectWaitsCompleted, commandBuffer, Field{Role: RoleStatus},
		pollFields},

	{121, "presentDrawable:", FamilyCommandBuffer, GroupEncode, EffectNone, commandBuffer, drawable, nil},
	{122, "presentDrawable:atTime:", FamilyCommandBuffer, GroupEncode, EffectNone, commandBuffer, drawable, nil},
	{123, "presentDrawable:afterMinimumDuration:", FamilyCommandBuffer, GroupEncode, EffectNone, commandBuffer,
		drawable, nil},
	{124, "pushDebugGroup:", FamilyCommandBuffer, GroupEncode, EffectOpensGroup, commandBuffer, theText, nil},
	{125, "popDebugGroup", FamilyCommandBuffer, GroupEncode, EffectClosesGroup, commandBuffer, none, nil},
	{126, "useResidencySet:", FamilyCommandBuffer, GroupEncode, EffectNone, commandBuffer, residencySet, nil},
	{127, "useResidencySets:count:", FamilyCommandBuffer, GroupEncode, EffectNone, commandBuffer, howMany, nil},
}
