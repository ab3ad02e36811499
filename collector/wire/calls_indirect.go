package wire

// indirectCalls has the rows of Table for the methods of MTLIndirectCommandBuffer, MTLIndirectComputeCommand and
// MTLIndirectRenderCommand, by which commands are encoded once and executed many times. A command is identified by
// its index: Metal returns a new object each time that a program asks for the same command. Traces contain the
// numbers of the rows, so a number must never change.
var indirectCalls = [...]Row{
	{415, "indirectComputeCommandAtIndex:", FamilyResource, GroupEncode, EffectMakes, resource,
		made(KindIndirectCommand), []Field{{At: InX0, Role: RoleFirst, name: "at index"}}},
	{416, "resetWithRange:", FamilyResource, GroupEncode, EffectResets, resource, commands,
		[]Field{{At: InX0, Role: RoleFirst}}},
	{417, "setComputePipelineState:", FamilyIndirectCommand, GroupEncode, EffectBinds, indirectCommand, pipelineState,
		nil},
	{418, "concurrentDispatchThreadgroups:threadsPerThreadgroup:", FamilyIndirectCommand, GroupEncode, EffectDispatches,
		indirectCommand, threads, groupGridFields},
	{419, "concurrentDispatchThreads:threadsPerThreadgroup:", FamilyIndirectCommand, GroupEncode, EffectDispatches,
		indirectCommand, threads, threadGridFields},
	{420, "reset", FamilyIndirectCommand, GroupEncode, EffectResets, indirectCommand, none, nil},

	{422, "indirectRenderCommandAtIndex:", FamilyResource, GroupEncode, EffectMakes, resource,
		made(KindIndirectCommand), []Field{{At: InX0, Role: RoleFirst, name: "at index"}}},
	{423, "setRenderPipelineState:", FamilyIndirectCommand, GroupEncode, EffectBinds, indirectCommand, pipelineState,
		nil},
	{424, "drawPrimitives:vertexStart:vertexCount:instanceCount:baseInstance:", FamilyIndirectCommand, GroupEncode,
		EffectDraws, indirectCommand, vertices, nil},
	{425, "drawIndexedPrimitives:indexCount:indexType:indexBuffer:indexBufferOffset:instanceCount:baseVertex:" +
		"baseInstance:", FamilyIndirectCommand, GroupEncode, EffectDraws, indirectCommand, vertices, nil},
	{426, "drawPatches:patchStart:patchCount:patchIndexBuffer:patchIndexBufferOffset:instanceCount:baseInstance:" +
		"tessellationFactorBuffer:tessellationFactorBufferOffset:tessellationFactorBufferInstanceStride:",
		FamilyIndirectCommand, GroupEncode, EffectDraws, indirectCommand, vertices, nil},
	{427, "drawIndexedPatches:patchStart:patchCount:patchIndexBuffer:patchIndexBufferOffset:controlPointIndexBuffer:" +
		"controlPointIndexBufferOffset:instanceCount:baseInstance:tessellationFactorBuffer:" +
		"tessellationFactorBufferOffset:tessellationFactorBufferInstanceStride:", FamilyIndirectCommand, GroupEncode,
		EffectDraws, indirectCommand, vertices, nil},
	{428, "drawMeshThreadgroups:threadsPerObjectThreadgroup:threadsPerMeshThreadgroup:", FamilyIndirectCommand,
		GroupEncode, EffectDraws, indirectCommand, threads, nil},
	{429, "drawMeshThreads:threadsPerObjectThreadgroup:threadsPerMeshThreadgroup:", FamilyIndirectCommand, GroupEncode,
		EffectDraws, indirectCommand, threads, nil},
}
