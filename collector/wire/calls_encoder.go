package wire

// gridFields returns the fields for the sizes of a dispatch's grid and of its threadgroups. unit is UnitNone for an
// indirect dispatch, because only the GPU knows the size of its grid.
func gridFields(unit Unit) []Field {
	return []Field{
		{At: InX0Low, Role: RoleGrid, Unit: unit, name: "grid width"}, {At: InX0High, Role: RoleGrid, Unit: unit,
			name: "grid height"}, {At: InX1Low, Role: RoleGrid, Unit: unit, name: "grid depth"},
		{At: InX1High, Role: RoleGroup, name: "group width"}, {At: InX2Low, Role: RoleGroup, name: "group height"},
		{At: InX2High, Role: RoleGroup, name: "group depth"},
	}
}

var (
	threadGridFields   = gridFields(UnitThreads)
	groupGridFields    = gridFields(UnitThreadgroups)
	indirectGridFields = gridFields(UnitNone)
	copyFields         = []Field{{At: InX0, Role: RoleFrom, Kind: KindBuffer, name: "source buffer"},
		{At: InX1, Role: RoleTo, Kind: KindBuffer, name: "destination buffer"}}
)

// The fields of the second record (More) of calls that execute or change a range of commands of an indirect
// command buffer. If a call takes the range from a GPU buffer, the range is not known, and only the indirect
// command buffer is recorded.
var (
	indirectFields = []Field{{At: InX0, Role: RoleObject, Kind: KindResource, name: "indirect command buffer"}}
	rangeFields    = []Field{{At: InX0, Role: RoleObject, Kind: KindResource, name: "indirect command buffer"},
		{At: InX1, Role: RoleFirst}}
	copiedCommandsFields = []Field{{At: InX0, Role: RoleFrom, Kind: KindResource, name: "source"},
		{At: InX1, Role: RoleTo, Kind: KindResource, name: "destination"},
		{At: InX2Low, Role: RoleFirst}, {At: InX2High, Role: RoleFirst, name: "to index"}}
)

// encoderCalls has the rows of Table for the methods of all kinds of MTLCommandEncoder and MTL4CommandEncoder. Traces
// contain the numbers of the rows, so a number must never change.
var encoderCalls = [...]Row{
	{56, "setComputePipelineState:", FamilyEncoder, GroupEncode, EffectBinds, encoder, pipelineState, nil},
	{57, "dispatchThreadgroups:threadsPerThreadgroup:", FamilyEncoder, GroupEncode, EffectDispatches, encoder, threads,
		groupGridFields},
	{58, "dispatchThreads:threadsPerThreadgroup:", FamilyEncoder, GroupEncode, EffectDispatches, encoder, threads,
		threadGridFields},
	{59, "dispatchThreadgroupsWithIndirectBuffer:indirectBufferOffset:threadsPerThreadgroup:", FamilyEncoder,
		GroupEncode, EffectDispatches, encoder, none, indirectGridFields},
	{60, "copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:", FamilyEncoder, GroupEncode, EffectCopies,
		encoder, bytesOf, copyFields},
	{61, "fillBuffer:range:value:", FamilyEncoder, GroupEncode, EffectFills, encoder, bytesOf, copyFields},
	{62, "setLabel:", FamilyEncoder, GroupOther, EffectLabels, encoder, theLabel, nil},
	{63, "endEncoding", FamilyEncoder, GroupEncode, EffectEnds, encoder, dependence, nil},
	{492, "dealloc", FamilyEncoder, GroupNone, EffectCounted, none, none, nil},
	{485, "setBuffer:offset:atIndex:", FamilyEncoder, GroupNone, EffectCounted, none, none, nil},
	{486, "setBuffer:offset:attributeStride:atIndex:", FamilyEncoder, GroupNone, EffectCounted, none, none, nil},
	{487, "setBuffers:offsets:withRange:", FamilyEncoder, GroupNone, EffectCounted, none, none, nil},
	{488, "setBuffers:offsets:attributeStrides:withRange:", FamilyEncoder, GroupNone, EffectCounted, none, none, nil},
	{489, "setTexture:atIndex:", FamilyEncoder, GroupNone, EffectCounted, none, none, nil},
	{490, "setTextures:withRange:", FamilyEncoder, GroupNone, EffectCounted, none, none, nil},

	{128, "barrierAfterQueueStages:beforeStages:", FamilyEncoder, GroupEncode, EffectNone, encoder, none, nil},
	{129, "insertDebugSignpost:", FamilyEncoder, GroupEncode, EffectMarks, encoder, theText, nil},
	{130, "pushDebugGroup:", FamilyEncoder, GroupEncode, EffectOpensGroup, encoder, theText, nil},
	{131, "popDebugGroup", FamilyEncoder, GroupEncode, EffectClosesGroup, encoder, none, nil},

	{135, "updateFence:", FamilyEncoder, GroupEncode, EffectNone, encoder, fence, nil},
	{136, "waitForFence:", FamilyEncoder, GroupEncode, EffectNone, encoder, fence, nil},
	{137, "useResource:usage:", FamilyEncoder, GroupEncode, EffectNone, encoder, resource, nil},
	{138, "useResources:count:usage:", FamilyEncoder, GroupEncode, EffectNone, encoder, howMany, nil},
	{139, "useHeap:", FamilyEncoder, GroupEncode, EffectNone, encoder, heap, nil},
	{140, "useHeaps:count:", FamilyEncoder, GroupEncode, EffectNone, encoder, howMany, nil},
	{141, "executeCommandsInBuffer:withRange:", FamilyEncoder, GroupEncode, EffectExecutes, encoder, commands,
		rangeFields},
	{142, "executeCommandsInBuffer:indirectBuffer:indirectBufferOffset:", FamilyEncoder, GroupEncode, EffectExecutes,
		encoder, none, indirectFields},
	{143, "memoryBarrierWithScope:", FamilyEncoder, GroupEncode, EffectNone, encoder, scope, nil},
	{144, "memoryBarrierWithResources:count:", FamilyEncoder, GroupEncode, EffectNone, encoder, howMany, nil},
	{145, "sampleCountersInBuffer:atSampleIndex:withBarrier:", FamilyEncoder, GroupEncode, EffectNone, encoder, none,
		nil},
	{146, "synchronizeResource:", FamilyEncoder, GroupEncode, EffectNone, encoder, resource, nil},
	{147, "synchronizeTexture:slice:level:", FamilyEncoder, GroupEncode, EffectNone, encoder, resource, nil},
	{148, "copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toTexture:destinationSlice:" +
		"destinationLevel:destinationOrigin:", FamilyEncoder, GroupEncode, EffectCopies, encoder, texels, copyFields},
	{149, "copyFromBuffer:sourceOffset:sourceBytesPerRow:sourceBytesPerImage:sourceSize:toTexture:destinationSlice:" +
		"destinationLevel:destinationOrigin:", FamilyEncoder, GroupEncode, EffectCopies, encoder, bytesOf, copyFields},
	{150, "copyFromBuffer:sourceOffset:sourceBytesPerRow:sourceBytesPerImage:sourceSize:toTexture:destinationSlice:" +
		"destinationLevel:destinationOrigin:options:", FamilyEncoder, GroupEncode, EffectCopies, encoder, bytesOf,
		copyFields},
	{151, "copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toBuffer:destinationOffset:" +
		"destinationBytesPerRow:destinationBytesPerImage:", FamilyEncoder, GroupEncode, EffectCopies, encoder, bytesOf,
		copyFields},
	{152, "copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toBuffer:destinationOffset:" +
		"destinationBytesPerRow:destinationBytesPerImage:options:", FamilyEncoder, GroupEncode, EffectCopies, encoder,
		bytesOf, copyFields},
	{153, "generateMipmapsForTexture:", FamilyEncoder, GroupEncode, EffectNone, encoder, resource, nil},
	{154, "copyFromTexture:sourceSlice:sourceLevel:toTexture:destinationSlice:destinationLevel:sliceCount:levelCount:",
		FamilyEncoder, GroupEncode, EffectCopies, encoder, texels, copyFields},
	{155, "copyFromTexture:toTexture:", FamilyEncoder, GroupEncode, EffectCopies, encoder, texels, copyFields},
	{156, "optimizeContentsForGPUAccess:", FamilyEncoder, GroupEncode, EffectNone, encoder, resource, nil},
	{157, "optimizeContentsForGPUAccess:slice:level:", FamilyEncoder, GroupEncode, EffectNone, encoder, resource, nil},
	{158, "optimizeContentsForCPUAccess:", FamilyEncoder, GroupEncode, EffectNone, encoder, resource, nil},
	{159, "optimizeContentsForCPUAccess:slice:level:", FamilyEncoder, GroupEncode, EffectNone, encoder, resource, nil},
	{160, "resetCommandsInBuffer:withRange:", FamilyEncoder, GroupEncode, EffectResets, encoder, commands, rangeFields},
	{161, "copyIndirectCommandBuffer:sourceRange:destination:destinationIndex:", FamilyEncoder, GroupEncode,
		EffectCopies, encoder, commands, copiedCommandsFields},
	{162, "optimizeIndirectCommandBuffer:withRange:", FamilyEncoder, GroupEncode, EffectNone, encoder, commands,
		rangeFields},
	{163, "resolveCounters:inRange:destinationBuffer:destinationOffset:", FamilyEncoder, GroupEncode, EffectNone,
		encoder, none, nil},
	{164, "copyFromTensor:sourceOrigin:sourceDimensions:toTensor:destinationOrigin:destinationDimensions:",
		FamilyEncoder, GroupEncode, EffectCopies, encoder, none, copyFields},

	{230, "buildAccelerationStructure:descriptor:scratchBuffer:scratchBufferOffset:", FamilyEncoder, GroupEncode,
		EffectNone, encoder, none, nil},
	{231, "refitAccelerationStructure:descriptor:destination:scratchBuffer:scratchBufferOffset:", FamilyEncoder,
		GroupEncode, EffectNone, encoder, none, nil},
	{232, "refitAccelerationStructure:descriptor:destination:scratchBuffer:scratchBufferOffset:options:", FamilyEncoder,
		GroupEncode, EffectNone, encoder, none, nil},
	{233, "copyAccelerationStructure:toAccelerationStructure:", FamilyEncoder, GroupEncode, EffectNone, encoder, none,
		nil},
	{234, "writeCompactedAccelerationStructureSize:toBuffer:offset:", FamilyEncoder, GroupEncode, EffectNone, encoder,
		none, nil},
	{235, "writeCompactedAccelerationStructureSize:toBuffer:offset:sizeDataType:", FamilyEncoder, GroupEncode,
		EffectNone, encoder, none, nil},
	{236, "copyAndCompactAccelerationStructure:toAccelerationStructure:", FamilyEncoder, GroupEncode, EffectNone,
		encoder, none, nil},
	{237, "updateTextureMappings:mode:regions:mipLevels:slices:numRegions:", FamilyEncoder, GroupEncode, EffectNone,
		encoder, none, nil},
	{238, "updateTextureMapping:mode:region:mipLevel:slice:", FamilyEncoder, GroupEncode, EffectNone, encoder, none,
		nil},
	{239, "updateTextureMapping:mode:indirectBuffer:indirectBufferOffset:", FamilyEncoder, GroupEncode, EffectNone,
		encoder, none, nil},
	{240, "moveTextureMappingsFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toTexture:destinationSlice:" +
		"destinationLevel:destinationOrigin:", FamilyEncoder, GroupEncode, EffectNone, encoder, none, nil},
	{241, "renderCommandEncoder", FamilyEncoder, GroupEncode, EffectMakes, encoder, made(KindRenderEncoder), nil},

	{271, "barrierAfterQueueStages:beforeStages:visibilityOptions:", FamilyEncoder, GroupEncode, EffectNone, encoder,
		none, nil},
	{272, "barrierAfterStages:beforeQueueStages:visibilityOptions:", FamilyEncoder, GroupEncode, EffectNone, encoder,
		none, nil},
	{273, "barrierAfterEncoderStages:beforeEncoderStages:visibilityOptions:", FamilyEncoder, GroupEncode, EffectNone,
		encoder, none, nil},
	{274, "updateFence:afterEncoderStages:", FamilyEncoder, GroupEncode, EffectNone, encoder, fence, nil},
	{275, "waitForFence:beforeEncoderStages:", FamilyEncoder, GroupEncode, EffectNone, encoder, fence, nil},
	{276, "dispatchThreadgroupsWithIndirectBuffer:threadsPerThreadgroup:", FamilyEncoder, GroupEncode, EffectDispatches,
		encoder, none, indirectGridFields},
	{277, "dispatchThreadsWithIndirectBuffer:", FamilyEncoder, GroupEncode, EffectDispatches, encoder, none, nil},
	{278, "executeCommandsInBuffer:indirectBuffer:", FamilyEncoder, GroupEncode, EffectExecutes, encoder, none,
		indirectFields},
	{279, "buildAccelerationStructure:descriptor:scratchBuffer:", FamilyEncoder, GroupEncode, EffectNone, encoder, none,
		nil},
	{280, "refitAccelerationStructure:descriptor:destination:scratchBuffer:", FamilyEncoder, GroupEncode, EffectNone,
		encoder, none, nil},
	{281, "refitAccelerationStructure:descriptor:destination:scratchBuffer:options:", FamilyEncoder, GroupEncode,
		EffectNone, encoder, none, nil},
	{282, "writeCompactedAccelerationStructureSize:toBuffer:", FamilyEncoder, GroupEncode, EffectNone, encoder, none,
		nil},
	{283, "writeTimestampWithGranularity:intoHeap:atIndex:", FamilyEncoder, GroupEncode, EffectNone, encoder, none,
		nil},

	{310, "setPipelineState:", FamilyEncoder, GroupEncode, EffectBinds, encoder, pipelineState, nil},
	{311, "dispatchNetworkWithIntermediatesHeap:", FamilyEncoder, GroupEncode, EffectDispatches, encoder, none, nil},
	{312, "setRenderPipelineState:", FamilyEncoder, GroupEncode, EffectBinds, encoder, pipelineState, nil},
	{313, "drawPrimitives:vertexStart:vertexCount:", FamilyEncoder, GroupEncode, EffectDraws, encoder, vertices, nil},
	{314, "drawPrimitives:vertexStart:vertexCount:instanceCount:", FamilyEncoder, GroupEncode, EffectDraws, encoder,
		vertices, nil},
	{315, "drawPrimitives:vertexStart:vertexCount:instanceCount:baseInstance:", FamilyEncoder, GroupEncode, EffectDraws,
		encoder, vertices, nil},
	{316, "drawPrimitives:indirectBuffer:indirectBufferOffset:", FamilyEncoder, GroupEncode, EffectDraws, encoder, none,
		nil},
	{317, "drawIndexedPrimitives:indexCount:indexType:indexBuffer:indexBufferOffset:", FamilyEncoder, GroupEncode,
		EffectDraws, encoder, vertices, nil},
	{318, "drawIndexedPrimitives:indexCount:indexType:indexBuffer:indexBufferOffset:instanceCount:", FamilyEncoder,
		GroupEncode, EffectDraws, encoder, vertices, nil},
	{319, "drawIndexedPrimitives:indexCount:indexType:indexBuffer:indexBufferOffset:instanceCount:baseVertex:" +
		"baseInstance:", FamilyEncoder, GroupEncode, EffectDraws, encoder, vertices, nil},
	{320, "drawIndexedPrimitives:indexType:indexBuffer:indexBufferOffset:indirectBuffer:indirectBufferOffset:",
		FamilyEncoder, GroupEncode, EffectDraws, encoder, none, nil},
	{321, "drawMeshThreadgroups:threadsPerObjectThreadgroup:threadsPerMeshThreadgroup:", FamilyEncoder, GroupEncode,
		EffectDraws, encoder, threads, nil},
	{322, "drawMeshThreads:threadsPerObjectThreadgroup:threadsPerMeshThreadgroup:", FamilyEncoder, GroupEncode,
		EffectDraws, encoder, threads, nil},
	{323, "dispatchThreadsPerTile:", FamilyEncoder, GroupEncode, EffectDispatches, encoder, none, nil},
}
