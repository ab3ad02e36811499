package wire

// resourceCalls are the methods of MTLBuffer, MTLTexture and other resources.
var resourceCalls = [...]Row{
	{220, "setLabel:", FamilyResource, GroupOther, "resource", "StringID of the label", ""},
	{221, "setPurgeableState:", FamilyResource, GroupAllocate, "resource", "MTLPurgeableState", ""},
	{222, "makeAliasable", FamilyResource, GroupAllocate, "resource", "", ""},
	{223, "didModifyRange:", FamilyResource, GroupOther, "resource", "bytes", ""},
	{224, "newTextureWithDescriptor:offset:bytesPerRow:", FamilyResource, GroupAllocate, "resource", "new texture", newResource},
	{225, "newTensorWithDescriptor:offset:error:", FamilyResource, GroupAllocate, "resource", "new tensor", newResource},

	{324, "newTextureViewWithPixelFormat:", FamilyResource, GroupAllocate, "resource", "new texture", newResource},
	{325, "newTextureViewWithPixelFormat:textureType:levels:slices:", FamilyResource, GroupAllocate, "resource", "new texture", newResource},
	{326, "replaceRegion:mipmapLevel:withBytes:bytesPerRow:", FamilyResource, GroupOther, "resource", "bytes", ""},
	{327, "replaceRegion:mipmapLevel:slice:withBytes:bytesPerRow:bytesPerImage:", FamilyResource, GroupOther, "resource", "bytes", ""},
	{328, "getBytes:bytesPerRow:fromRegion:mipmapLevel:", FamilyResource, GroupOther, "resource", "bytes", ""},
	{329, "getBytes:bytesPerRow:bytesPerImage:fromRegion:mipmapLevel:slice:", FamilyResource, GroupOther, "resource", "bytes", ""},
	{330, "dealloc", FamilyResource, GroupAllocate, "resource", "", ""},

	{409, "newSharedTextureHandle", FamilyResource, GroupOther, "resource", "new object", ""},
}

// heapCalls are the methods of MTLHeap.
var heapCalls = [...]Row{
	{173, "setLabel:", FamilyHeap, GroupOther, "heap", "StringID of the label", ""},
	{174, "newBufferWithLength:options:", FamilyHeap, GroupAllocate, "heap", "new buffer", newBuffer},
	{175, "newTextureWithDescriptor:", FamilyHeap, GroupAllocate, "heap", "new texture", newResource},
	{176, "setPurgeableState:", FamilyHeap, GroupAllocate, "heap", "MTLPurgeableState", ""},
	{177, "newBufferWithLength:options:offset:", FamilyHeap, GroupAllocate, "heap", "new buffer", newBuffer},
	{178, "newTextureWithDescriptor:offset:", FamilyHeap, GroupAllocate, "heap", "new texture", newResource},
	{179, "newAccelerationStructureWithSize:", FamilyHeap, GroupAllocate, "heap", "new resource", newResource},
	{180, "newAccelerationStructureWithDescriptor:", FamilyHeap, GroupAllocate, "heap", "new resource", newResource},
	{181, "newAccelerationStructureWithSize:offset:", FamilyHeap, GroupAllocate, "heap", "new resource", newResource},
	{182, "newAccelerationStructureWithDescriptor:offset:", FamilyHeap, GroupAllocate, "heap", "new resource", newResource},

	{331, "dealloc", FamilyHeap, GroupAllocate, "heap", "", ""},
}

// residencySetCalls are the methods of MTLResidencySet.
var residencySetCalls = [...]Row{
	{193, "requestResidency", FamilyResidencySet, GroupAllocate, "residency set", "", ""},
	{194, "endResidency", FamilyResidencySet, GroupAllocate, "residency set", "", ""},
	{195, "addAllocation:", FamilyResidencySet, GroupOther, "residency set", "resource", ""},
	{196, "addAllocations:count:", FamilyResidencySet, GroupOther, "residency set", "how many", ""},
	{197, "removeAllocation:", FamilyResidencySet, GroupOther, "residency set", "resource", ""},
	{198, "removeAllocations:count:", FamilyResidencySet, GroupOther, "residency set", "how many", ""},
	{199, "removeAllAllocations", FamilyResidencySet, GroupOther, "residency set", "", ""},
	{200, "commit", FamilyResidencySet, GroupOther, "residency set", "", ""},
}
