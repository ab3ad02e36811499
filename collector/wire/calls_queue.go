package wire

// queueCalls are the methods of MTLCommandQueue.
var queueCalls = [...]Row{
	{32, "commandBuffer", FamilyQueue, GroupAcquire, "queue", "new command buffer", ""},
	{33, "commandBufferWithDescriptor:", FamilyQueue, GroupAcquire, "queue", "new command buffer", ""},
	{34, "commandBufferWithUnretainedReferences", FamilyQueue, GroupAcquire, "queue", "new command buffer", ""},
	{35, "setLabel:", FamilyQueue, GroupOther, "queue", "StringID of the label", ""},

	{116, "insertDebugCaptureBoundary", FamilyQueue, GroupOther, "queue", "", ""},
	{117, "addResidencySet:", FamilyQueue, GroupOther, "queue", "residency set", ""},
	{118, "addResidencySets:count:", FamilyQueue, GroupOther, "queue", "how many", ""},
	{119, "removeResidencySet:", FamilyQueue, GroupOther, "queue", "residency set", ""},
	{120, "removeResidencySets:count:", FamilyQueue, GroupOther, "queue", "how many", ""},

	{355, "commitCommandBuffer:wake:", FamilyQueue, GroupNone, "counted, never recorded", "", ""},
	{356, "commandBufferDidComplete:startTime:completionTime:error:", FamilyQueue, GroupNone, "counted, never recorded", "", ""},
}

// ioCalls are the methods of MTLIOCommandQueue and MTLIOCommandBuffer.
var ioCalls = [...]Row{
	{201, "enqueueBarrier", FamilyIoQueue, GroupOther, "I/O queue", "", ""},
	{202, "commandBuffer", FamilyIoQueue, GroupOther, "I/O queue", "new I/O command buffer", ""},
	{203, "commandBufferWithUnretainedReferences", FamilyIoQueue, GroupOther, "I/O queue", "new I/O command buffer", ""},
	{204, "setLabel:", FamilyIoQueue, GroupOther, "I/O queue", "StringID of the label", ""},
	{205, "addCompletedHandler:", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "", ""},
	{206, "loadBytes:size:sourceHandle:sourceHandleOffset:", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "bytes", ""},
	{207, "loadBuffer:offset:size:sourceHandle:sourceHandleOffset:", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "bytes", ""},
	{208, "loadTexture:slice:level:size:sourceBytesPerRow:sourceBytesPerImage:destinationOrigin:sourceHandle:sourceHandleOffset:", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "bytes", ""},
	{209, "copyStatusToBuffer:offset:", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "", ""},
	{210, "commit", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "", ""},
	{211, "waitUntilCompleted", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "", ""},
	{212, "tryCancel", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "", ""},
	{213, "addBarrier", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "", ""},
	{214, "pushDebugGroup:", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "StringID of the text", ""},
	{215, "popDebugGroup", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "", ""},
	{216, "enqueue", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "", ""},
	{217, "waitForEvent:value:", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "value", "x0 event"},
	{218, "signalEvent:value:", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "value", "x0 event"},
	{219, "setLabel:", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "StringID of the label", ""},
}
