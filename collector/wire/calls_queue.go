package wire

// queueCalls has the rows of Table for the methods of MTLCommandQueue. Traces contain the numbers of the rows, so a
// number must never change.
var queueCalls = [...]Row{
	{32, "commandBuffer", FamilyQueue, GroupAcquire, EffectMakes, queue, made(KindCommandBuffer), nil},
	{33, "commandBufferWithDescriptor:", FamilyQueue, GroupAcquire, EffectMakes, queue, made(KindCommandBuffer), nil},
	{34, "commandBufferWithUnretainedReferences", FamilyQueue, GroupAcquire, EffectMakes, queue,
		made(KindCommandBuffer), nil},
	{35, "setLabel:", FamilyQueue, GroupOther, EffectLabels, queue, theLabel, nil},

	{116, "insertDebugCaptureBoundary", FamilyQueue, GroupOther, EffectNone, queue, none, nil},
	{117, "addResidencySet:", FamilyQueue, GroupAllocate, EffectResides, queue, residencySet, nil},
	{118, "addResidencySets:count:", FamilyQueue, GroupAllocate, EffectResides, queue, howMany, nil},
	{119, "removeResidencySet:", FamilyQueue, GroupAllocate, EffectResides, queue, residencySet, nil},
	{120, "removeResidencySets:count:", FamilyQueue, GroupAllocate, EffectResides, queue, howMany, nil},

	{494, "dealloc", FamilyQueue, GroupOther, EffectReleases, queue, none, nil},

	{355, "commitCommandBuffer:wake:", FamilyQueue, GroupNone, EffectCounted, none, none, nil},
	{356, "commandBufferDidComplete:startTime:completionTime:error:", FamilyQueue, GroupNone, EffectCounted, none, none,
		nil},
}

// ioCalls has the rows of Table for the methods of MTLIOCommandQueue and MTLIOCommandBuffer. Traces contain the
// numbers of the rows, so a number must never change.
var ioCalls = [...]Row{
	{201, "enqueueBarrier", FamilyIoQueue, GroupOther, EffectNone, ioQueue, none, nil},
	{202, "commandBuffer", FamilyIoQueue, GroupOther, EffectMakes, ioQueue, made(KindIOCommandBuffer), nil},
	{203, "commandBufferWithUnretainedReferences", FamilyIoQueue, GroupOther, EffectMakes, ioQueue,
		made(KindIOCommandBuffer), nil},
	{204, "setLabel:", FamilyIoQueue, GroupOther, EffectLabels, ioQueue, theLabel, nil},
	{205, "addCompletedHandler:", FamilyIoCommandBuffer, GroupOther, EffectHandles, ioCommandBuffer, none, nil},
	{206, "loadBytes:size:sourceHandle:sourceHandleOffset:", FamilyIoCommandBuffer, GroupOther, EffectNone,
		ioCommandBuffer, bytesOf, nil},
	{207, "loadBuffer:offset:size:sourceHandle:sourceHandleOffset:", FamilyIoCommandBuffer, GroupOther, EffectNone,
		ioCommandBuffer, bytesOf, nil},
	{208, "loadTexture:slice:level:size:sourceBytesPerRow:sourceBytesPerImage:destinationOrigin:sourceHandle:" +
		"sourceHandleOffset:", FamilyIoCommandBuffer, GroupOther, EffectNone, ioCommandBuffer, bytesOf, nil},
	{209, "copyStatusToBuffer:offset:", FamilyIoCommandBuffer, GroupOther, EffectNone, ioCommandBuffer, none, nil},
	{210, "commit", FamilyIoCommandBuffer, GroupOther, EffectCommits, ioCommandBuffer, none, nil},
	{211, "waitUntilCompleted", FamilyIoCommandBuffer, GroupOther, EffectWaitsCompleted, ioCommandBuffer, none, nil},
	{212, "tryCancel", FamilyIoCommandBuffer, GroupOther, EffectNone, ioCommandBuffer, none, nil},
	{213, "addBarrier", FamilyIoCommandBuffer, GroupOther, EffectNone, ioCommandBuffer, none, nil},
	{214, "pushDebugGroup:", FamilyIoCommandBuffer, GroupOther, EffectNone, ioCommandBuffer, theText, nil},
	{215, "popDebugGroup", FamilyIoCommandBuffer, GroupOther, EffectNone, ioCommandBuffer, none, nil},
	{216, "enqueue", FamilyIoCommandBuffer, GroupOther, EffectEnqueues, ioCommandBuffer, none, nil},
	{217, "waitForEvent:value:", FamilyIoCommandBuffer, GroupOther, EffectAwaits, ioCommandBuffer, eventValue,
		eventFields},
	{218, "signalEvent:value:", FamilyIoCommandBuffer, GroupOther, EffectSignals, ioCommandBuffer, eventValue,
		eventFields},
	{219, "setLabel:", FamilyIoCommandBuffer, GroupOther, EffectLabels, ioCommandBuffer, theLabel, nil},
}
