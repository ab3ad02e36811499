package wire

// libraryCalls are the methods of MTLLibrary and MTLDynamicLibrary.
var libraryCalls = [...]Row{
	{29, "newFunctionWithName:", FamilyLibrary, GroupCompile, "library", "new function", "x0 StringID of the name"},
	{30, "newFunctionWithName:constantValues:error:", FamilyLibrary, GroupCompile, "library", "new function", "x0 StringID of the name"},
	{31, "newFunctionWithDescriptor:error:", FamilyLibrary, GroupCompile, "library", "new function", "x0 StringID of the name"},

	{186, "setLabel:", FamilyLibrary, GroupOther, "library", "StringID of the label", ""},
	{187, "newFunctionWithName:constantValues:completionHandler:", FamilyLibrary, GroupCompile, "library", "", "x0 StringID of the name"},
	{188, "newFunctionWithDescriptor:completionHandler:", FamilyLibrary, GroupCompile, "library", "", "x0 StringID of the name"},
	{189, "newIntersectionFunctionWithDescriptor:completionHandler:", FamilyLibrary, GroupCompile, "library", "", "x0 StringID of the name"},
	{190, "newIntersectionFunctionWithDescriptor:error:", FamilyLibrary, GroupCompile, "library", "new function", "x0 StringID of the name"},
	{191, "setLabel:", FamilyDynamicLibrary, GroupOther, "dynamic library", "StringID of the label", ""},
	{192, "serializeToURL:error:", FamilyDynamicLibrary, GroupOther, "dynamic library", "", ""},
}

// functionObjectCalls are the methods of MTLFunction.
var functionObjectCalls = [...]Row{
	{183, "setLabel:", FamilyFunctionObject, GroupOther, "function", "StringID of the label", ""},
	{184, "newArgumentEncoderWithBufferIndex:", FamilyFunctionObject, GroupOther, "function", "new object", ""},
	{185, "newArgumentEncoderWithBufferIndex:reflection:", FamilyFunctionObject, GroupOther, "function", "new object", ""},
}

// pipelineCalls are the methods of pipeline states.
var pipelineCalls = [...]Row{
	{226, "newComputePipelineStateWithBinaryFunctions:error:", FamilyPipeline, GroupCompile, "pipeline state", "new pipeline state", ""},
	{227, "newComputePipelineStateWithAdditionalBinaryFunctions:error:", FamilyPipeline, GroupCompile, "pipeline state", "new pipeline state", ""},
	{228, "newVisibleFunctionTableWithDescriptor:", FamilyPipeline, GroupAllocate, "pipeline state", "new resource", newResource},
	{229, "newIntersectionFunctionTableWithDescriptor:", FamilyPipeline, GroupAllocate, "pipeline state", "new resource", newResource},
}

// archiveCalls are the methods of MTLBinaryArchive and MTL4Archive.
var archiveCalls = [...]Row{
	{165, "setLabel:", FamilyArchive, GroupOther, "archive", "StringID of the label", ""},
	{166, "addComputePipelineFunctionsWithDescriptor:error:", FamilyArchive, GroupCompile, "archive", "", ""},
	{167, "addRenderPipelineFunctionsWithDescriptor:error:", FamilyArchive, GroupCompile, "archive", "", ""},
	{168, "addTileRenderPipelineFunctionsWithDescriptor:error:", FamilyArchive, GroupCompile, "archive", "", ""},
	{169, "addMeshRenderPipelineFunctionsWithDescriptor:error:", FamilyArchive, GroupCompile, "archive", "", ""},
	{170, "addLibraryWithDescriptor:error:", FamilyArchive, GroupCompile, "archive", "", ""},
	{171, "serializeToURL:error:", FamilyArchive, GroupOther, "archive", "", ""},
	{172, "addFunctionWithDescriptor:library:error:", FamilyArchive, GroupCompile, "archive", "", ""},

	{305, "newComputePipelineStateWithDescriptor:error:", FamilyArchive, GroupCompile, "archive", "new pipeline state", newPipeline},
	{306, "newComputePipelineStateWithDescriptor:dynamicLinkingDescriptor:error:", FamilyArchive, GroupCompile, "archive", "new pipeline state", newPipeline},
	{307, "newRenderPipelineStateWithDescriptor:error:", FamilyArchive, GroupCompile, "archive", "new pipeline state", newPipeline},
	{308, "newRenderPipelineStateWithDescriptor:dynamicLinkingDescriptor:error:", FamilyArchive, GroupCompile, "archive", "new pipeline state", newPipeline},
	{309, "newBinaryFunctionWithDescriptor:error:", FamilyArchive, GroupCompile, "archive", "new function", ""},
}
