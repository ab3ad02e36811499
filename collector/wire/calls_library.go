package wire

// libraryCalls has the rows of Table for the methods of MTLLibrary and MTLDynamicLibrary. Traces contain the numbers
// of the rows, so a number must never change.
var libraryCalls = [...]Row{
	{29, "newFunctionWithName:", FamilyLibrary, GroupCompile, EffectFindsFunction, library, made(KindFunction),
		functionFields},
	{30, "newFunctionWithName:constantValues:error:", FamilyLibrary, GroupCompile, EffectBuildsFunction, library,
		made(KindFunction), functionFields},
	{31, "newFunctionWithDescriptor:error:", FamilyLibrary, GroupCompile, EffectBuildsFunction, library,
		made(KindFunction), functionFields},

	{186, "setLabel:", FamilyLibrary, GroupOther, EffectLabels, library, theLabel, nil},
	{495, "dealloc", FamilyLibrary, GroupOther, EffectReleases, library, none, nil},
	{187, "newFunctionWithName:constantValues:completionHandler:", FamilyLibrary, GroupCompile, EffectBuildsFunction,
		library, none, functionFields},
	{188, "newFunctionWithDescriptor:completionHandler:", FamilyLibrary, GroupCompile, EffectBuildsFunction, library,
		none, functionFields},
	{189, "newIntersectionFunctionWithDescriptor:completionHandler:", FamilyLibrary, GroupCompile, EffectBuildsFunction,
		library, none, functionFields},
	{190, "newIntersectionFunctionWithDescriptor:error:", FamilyLibrary, GroupCompile, EffectBuildsFunction, library,
		made(KindFunction), functionFields},
	{191, "setLabel:", FamilyDynamicLibrary, GroupOther, EffectLabels, dynamicLibrary, theLabel, nil},
	{192, "serializeToURL:error:", FamilyDynamicLibrary, GroupOther, EffectNone, dynamicLibrary, none, nil},
}

// functionObjectCalls has the rows of Table for the methods of MTLFunction. Traces contain the numbers of the rows,
// so a number must never change.
var functionObjectCalls = [...]Row{
	{183, "setLabel:", FamilyFunctionObject, GroupOther, EffectLabels, function, theLabel, nil},
	{184, "newArgumentEncoderWithBufferIndex:", FamilyFunctionObject, GroupOther, EffectMakes, function,
		made(KindObject), nil},
	{185, "newArgumentEncoderWithBufferIndex:reflection:", FamilyFunctionObject, GroupOther, EffectMakes, function,
		made(KindObject), nil},
}

// pipelineCalls has the rows of Table for the methods of compute and render pipeline states. Traces contain the
// numbers of the rows, so a number must never change.
var pipelineCalls = [...]Row{
	{226, "newComputePipelineStateWithBinaryFunctions:error:", FamilyPipeline, GroupCompile, EffectBuildsPipeline,
		pipelineState, made(KindPipeline), nil},
	{227, "newComputePipelineStateWithAdditionalBinaryFunctions:error:", FamilyPipeline, GroupCompile,
		EffectBuildsPipeline, pipelineState, made(KindPipeline), nil},
	{228, "newVisibleFunctionTableWithDescriptor:", FamilyPipeline, GroupAllocate, EffectAllocates, pipelineState,
		made(KindResource), resourceFields},
	{229, "newIntersectionFunctionTableWithDescriptor:", FamilyPipeline, GroupAllocate, EffectAllocates, pipelineState,
		made(KindResource), resourceFields},
	{496, "dealloc", FamilyPipeline, GroupOther, EffectReleases, pipelineState, none, nil},
}

// archiveCalls has the rows of Table for the methods of MTLBinaryArchive and MTL4Archive. Traces contain the numbers
// of the rows, so a number must never change.
var archiveCalls = [...]Row{
	{165, "setLabel:", FamilyArchive, GroupOther, EffectLabels, archive, theLabel, nil},
	{166, "addComputePipelineFunctionsWithDescriptor:error:", FamilyArchive, GroupCompile, EffectArchives, archive,
		none, nil},
	{167, "addRenderPipelineFunctionsWithDescriptor:error:", FamilyArchive, GroupCompile, EffectArchives, archive, none,
		nil},
	{168, "addTileRenderPipelineFunctionsWithDescriptor:error:", FamilyArchive, GroupCompile, EffectArchives, archive,
		none, nil},
	{169, "addMeshRenderPipelineFunctionsWithDescriptor:error:", FamilyArchive, GroupCompile, EffectArchives, archive,
		none, nil},
	{170, "addLibraryWithDescriptor:error:", FamilyArchive, GroupCompile, EffectArchives, archive, none, nil},
	{171, "serializeToURL:error:", FamilyArchive, GroupOther, EffectNone, archive, none, nil},
	{172, "addFunctionWithDescriptor:library:error:", FamilyArchive, GroupCompile, EffectArchives, archive, none, nil},

	{305, "newComputePipelineStateWithDescriptor:error:", FamilyArchive, GroupCompile, EffectBuildsPipeline, archive,
		made(KindPipeline), pipelineFields},
	{306, "newComputePipelineStateWithDescriptor:dynamicLinkingDescriptor:error:", FamilyArchive, GroupCompile,
		EffectBuildsPipeline, archive, made(KindPipeline), pipelineFields},
	{307, "newRenderPipelineStateWithDescriptor:error:", FamilyArchive, GroupCompile, EffectBuildsPipeline, archive,
		made(KindPipeline), pipelineFields},
	{308, "newRenderPipelineStateWithDescriptor:dynamicLinkingDescriptor:error:", FamilyArchive, GroupCompile,
		EffectBuildsPipeline, archive, made(KindPipeline), pipelineFields},
	{309, "newBinaryFunctionWithDescriptor:error:", FamilyArchive, GroupCompile, EffectBuildsFunction, archive,
		made(KindFunction), nil},
}
