package wire

// memberFields are the first six of the command buffers that are committed at once.
var memberFields = []Field{
	{At: InX0Low, Role: RoleMember, Kind: KindCommandBuffer, name: "first command buffer"}, {At: InX0High, Role: RoleMember, Kind: KindCommandBuffer, name: "second"},
	{At: InX1Low, Role: RoleMember, Kind: KindCommandBuffer, name: "third"}, {At: InX1High, Role: RoleMember, Kind: KindCommandBuffer, name: "fourth"},
	{At: InX2Low, Role: RoleMember, Kind: KindCommandBuffer, name: "fifth"}, {At: InX2High, Role: RoleMember, Kind: KindCommandBuffer, name: "sixth"},
}

// metal4Calls are the methods of MTL4CommandQueue, MTL4CommandBuffer and MTL4CommandAllocator.
var metal4Calls = [...]Row{
	{242, "commit:count:", FamilyMtl4Queue, GroupCommit, EffectCommits, queue, buffers, memberFields},
	{243, "commit:count:options:", FamilyMtl4Queue, GroupCommit, EffectCommitsOptions, queue, buffers, memberFields},
	{244, "signalEvent:value:", FamilyMtl4Queue, GroupOther, EffectSignals, queue, eventValue, eventFields},
	{245, "waitForEvent:value:", FamilyMtl4Queue, GroupOther, EffectAwaits, queue, eventValue, eventFields},
	{246, "signalDrawable:", FamilyMtl4Queue, GroupOther, EffectNone, queue, drawable, nil},
	{247, "waitForDrawable:", FamilyMtl4Queue, GroupOther, EffectNone, queue, drawable, nil},
	{248, "addResidencySet:", FamilyMtl4Queue, GroupOther, EffectNone, queue, residencySet, nil},
	{249, "addResidencySets:count:", FamilyMtl4Queue, GroupOther, EffectNone, queue, howMany, nil},
	{250, "removeResidencySet:", FamilyMtl4Queue, GroupOther, EffectNone, queue, residencySet, nil},
	{251, "removeResidencySets:count:", FamilyMtl4Queue, GroupOther, EffectNone, queue, howMany, nil},
	{252, "updateTextureMappings:heap:operations:count:", FamilyMtl4Queue, GroupOther, EffectNone, queue, howMany, nil},
	{253, "copyTextureMappingsFromTexture:toTexture:operations:count:", FamilyMtl4Queue, GroupOther, EffectNone, queue, howMany, nil},
	{254, "updateBufferMappings:heap:operations:count:", FamilyMtl4Queue, GroupOther, EffectNone, queue, howMany, nil},
	{255, "copyBufferMappingsFromBuffer:toBuffer:operations:count:", FamilyMtl4Queue, GroupOther, EffectNone, queue, howMany, nil},
	{256, "setLabel:", FamilyMtl4CommandBuffer, GroupOther, EffectLabels, commandBuffer, theLabel, nil},
	{257, "beginCommandBufferWithAllocator:", FamilyMtl4CommandBuffer, GroupEncode, EffectMakes, none, made(KindCommandBuffer), allocatorFields},
	{258, "beginCommandBufferWithAllocator:options:", FamilyMtl4CommandBuffer, GroupEncode, EffectMakes, none, made(KindCommandBuffer), allocatorFields},
	{259, "endCommandBuffer", FamilyMtl4CommandBuffer, GroupEncode, EffectNone, commandBuffer, none, nil},
	{260, "renderCommandEncoderWithDescriptor:", FamilyMtl4CommandBuffer, GroupEncode, EffectMakes, commandBuffer, made(KindRenderEncoder), nil},
	{261, "renderCommandEncoderWithDescriptor:options:", FamilyMtl4CommandBuffer, GroupEncode, EffectMakes, commandBuffer, made(KindRenderEncoder), nil},
	{262, "computeCommandEncoder", FamilyMtl4CommandBuffer, GroupEncode, EffectMakes, commandBuffer, made(KindComputeEncoder), nil},
	{263, "machineLearningCommandEncoder", FamilyMtl4CommandBuffer, GroupEncode, EffectMakes, commandBuffer, made(KindEncoder), nil},
	{264, "useResidencySet:", FamilyMtl4CommandBuffer, GroupEncode, EffectNone, commandBuffer, residencySet, nil},
	{265, "useResidencySets:count:", FamilyMtl4CommandBuffer, GroupEncode, EffectNone, commandBuffer, howMany, nil},
	{266, "pushDebugGroup:", FamilyMtl4CommandBuffer, GroupEncode, EffectOpensGroup, commandBuffer, theText, nil},
	{267, "popDebugGroup", FamilyMtl4CommandBuffer, GroupEncode, EffectClosesGroup, commandBuffer, none, nil},
	{268, "writeTimestampIntoHeap:atIndex:", FamilyMtl4CommandBuffer, GroupEncode, EffectNone, commandBuffer, none, nil},
	{269, "resolveCounterHeap:withRange:intoBuffer:waitFence:updateFence:", FamilyMtl4CommandBuffer, GroupEncode, EffectNone, commandBuffer, none, nil},
	{270, "reset", FamilyMtl4Allocator, GroupOther, EffectNone, allocator, none, nil},
}

// compilerCalls are the methods of MTL4Compiler and MTL4CompilerTask.
var compilerCalls = [...]Row{
	{284, "newLibraryWithDescriptor:error:", FamilyCompiler, GroupCompile, EffectBuildsLibrary, compiler, made(KindLibrary), libraryFields},
	{285, "newDynamicLibrary:error:", FamilyCompiler, GroupCompile, EffectBuildsLibrary, compiler, made(KindDynamicLibrary), nil},
	{286, "newDynamicLibraryWithURL:error:", FamilyCompiler, GroupCompile, EffectBuildsLibrary, compiler, made(KindDynamicLibrary), nil},
	{287, "newComputePipelineStateWithDescriptor:compilerTaskOptions:error:", FamilyCompiler, GroupCompile, EffectBuildsPipeline, compiler, made(KindPipeline), pipelineFields},
	{288, "newComputePipelineStateWithDescriptor:dynamicLinkingDescriptor:compilerTaskOptions:error:", FamilyCompiler, GroupCompile, EffectBuildsPipeline, compiler, made(KindPipeline), pipelineFields},
	{289, "newRenderPipelineStateWithDescriptor:compilerTaskOptions:error:", FamilyCompiler, GroupCompile, EffectBuildsPipeline, compiler, made(KindPipeline), pipelineFields},
	{290, "newRenderPipelineStateWithDescriptor:dynamicLinkingDescriptor:compilerTaskOptions:error:", FamilyCompiler, GroupCompile, EffectBuildsPipeline, compiler, made(KindPipeline), pipelineFields},
	{291, "newRenderPipelineStateBySpecializationWithDescriptor:pipeline:error:", FamilyCompiler, GroupCompile, EffectBuildsPipeline, compiler, made(KindPipeline), pipelineFields},
	{292, "newBinaryFunctionWithDescriptor:compilerTaskOptions:error:", FamilyCompiler, GroupCompile, EffectBuildsFunction, compiler, made(KindFunction), nil},
	{293, "newLibraryWithDescriptor:completionHandler:", FamilyCompiler, GroupCompile, EffectBuildsLibrary, compiler, made(KindTask), libraryFields},
	{294, "newDynamicLibrary:completionHandler:", FamilyCompiler, GroupCompile, EffectBuildsLibrary, compiler, made(KindTask), nil},
	{295, "newDynamicLibraryWithURL:completionHandler:", FamilyCompiler, GroupCompile, EffectBuildsLibrary, compiler, made(KindTask), nil},
	{296, "newComputePipelineStateWithDescriptor:compilerTaskOptions:completionHandler:", FamilyCompiler, GroupCompile, EffectBuildsPipeline, compiler, made(KindTask), pipelineFields},
	{297, "newComputePipelineStateWithDescriptor:dynamicLinkingDescriptor:compilerTaskOptions:completionHandler:", FamilyCompiler, GroupCompile, EffectBuildsPipeline, compiler, made(KindTask), pipelineFields},
	{298, "newRenderPipelineStateWithDescriptor:compilerTaskOptions:completionHandler:", FamilyCompiler, GroupCompile, EffectBuildsPipeline, compiler, made(KindTask), pipelineFields},
	{299, "newRenderPipelineStateWithDescriptor:dynamicLinkingDescriptor:compilerTaskOptions:completionHandler:", FamilyCompiler, GroupCompile, EffectBuildsPipeline, compiler, made(KindTask), pipelineFields},
	{300, "newRenderPipelineStateBySpecializationWithDescriptor:pipeline:completionHandler:", FamilyCompiler, GroupCompile, EffectBuildsPipeline, compiler, made(KindTask), pipelineFields},
	{301, "newBinaryFunctionWithDescriptor:compilerTaskOptions:completionHandler:", FamilyCompiler, GroupCompile, EffectMakes, compiler, made(KindTask), nil},
	{302, "newMachineLearningPipelineStateWithDescriptor:error:", FamilyCompiler, GroupCompile, EffectBuildsPipeline, compiler, made(KindPipeline), pipelineFields},
	{303, "newMachineLearningPipelineStateWithDescriptor:completionHandler:", FamilyCompiler, GroupCompile, EffectBuildsPipeline, compiler, made(KindTask), pipelineFields},
	{304, "waitUntilCompleted", FamilyCompilerTask, GroupCompile, EffectWaitsCompleted, task, none, nil},
}
