package wire

// resourceCalls has the rows of Table for the methods of MTLBuffer, MTLTexture and other resources. Traces contain
// the numbers of the rows, so a number must never change.
var resourceCalls = [...]Row{
	{220, "setLabel:", FamilyResource, GroupOther, EffectLabels, resource, theLabel, nil},
	{221, "setPurgeableState:", FamilyResource, GroupAllocate, EffectNone, resource, purgeable, nil},
	{222, "makeAliasable", FamilyResource, GroupAllocate, EffectNone, resource, none, nil},
	{223, "didModifyRange:", FamilyResource, GroupOther, EffectNone, resource, bytesOf, nil},
	{224, "newTextureWithDescriptor:offset:bytesPerRow:", FamilyResource, GroupAllocate, EffectAllocates, resource,
		made(KindTexture), resourceFields},
	{225, "newTensorWithDescriptor:offset:error:", FamilyResource, GroupAllocate, EffectAllocates, resource,
		made(KindTensor), resourceFields},

	{324, "newTextureViewWithPixelFormat:", FamilyResource, GroupAllocate, EffectAllocates, resource, made(KindTexture),
		resourceFields},
	{325, "newTextureViewWithPixelFormat:textureType:levels:slices:", FamilyResource, GroupAllocate, EffectAllocates,
		resource, made(KindTexture), resourceFields},
	{326, "replaceRegion:mipmapLevel:withBytes:bytesPerRow:", FamilyResource, GroupOther, EffectNone, resource, bytesOf,
		nil},
	{327, "replaceRegion:mipmapLevel:slice:withBytes:bytesPerRow:bytesPerImage:", FamilyResource, GroupOther,
		EffectNone, resource, bytesOf, nil},
	{328, "getBytes:bytesPerRow:fromRegion:mipmapLevel:", FamilyResource, GroupOther, EffectNone, resource, bytesOf,
		nil},
	{329, "getBytes:bytesPerRow:bytesPerImage:fromRegion:mipmapLevel:slice:", FamilyResource, GroupOther, EffectNone,
		resource, bytesOf, nil},
	{330, "dealloc", FamilyResource, GroupAllocate, EffectReleases, resource, none, nil},

	{409, "newSharedTextureHandle", FamilyResource, GroupOther, EffectMakes, resource, made(KindObject), nil},
}

// heapCalls has the rows of Table for the methods of MTLHeap. Traces contain the numbers of the rows, so a number
// must never change.
var heapCalls = [...]Row{
	{173, "setLabel:", FamilyHeap, GroupOther, EffectLabels, heap, theLabel, nil},
	{174, "newBufferWithLength:options:", FamilyHeap, GroupAllocate, EffectAllocates, heap, made(KindBuffer),
		bufferFields},
	{175, "newTextureWithDescriptor:", FamilyHeap, GroupAllocate, EffectAllocates, heap, made(KindTexture),
		resourceFields},
	{176, "setPurgeableState:", FamilyHeap, GroupAllocate, EffectNone, heap, purgeable, nil},
	{177, "newBufferWithLength:options:offset:", FamilyHeap, GroupAllocate, EffectAllocates, heap, made(KindBuffer),
		bufferFields},
	{178, "newTextureWithDescriptor:offset:", FamilyHeap, GroupAllocate, EffectAllocates, heap, made(KindTexture),
		resourceFields},
	{179, "newAccelerationStructureWithSize:", FamilyHeap, GroupAllocate, EffectAllocates, heap, made(KindResource),
		resourceFields},
	{180, "newAccelerationStructureWithDescriptor:", FamilyHeap, GroupAllocate, EffectAllocates, heap,
		made(KindResource), resourceFields},
	{181, "newAccelerationStructureWithSize:offset:", FamilyHeap, GroupAllocate, EffectAllocates, heap,
		made(KindResource), resourceFields},
	{182, "newAccelerationStructureWithDescriptor:offset:", FamilyHeap, GroupAllocate, EffectAllocates, heap,
		made(KindResource), resourceFields},

	{331, "dealloc", FamilyHeap, GroupAllocate, EffectReleases, heap, none, nil},
}

// residencySetCalls has the rows of Table for the methods of MTLResidencySet. Traces contain the numbers of the rows,
// so a number must never change.
var residencySetCalls = [...]Row{
	{497, "dealloc", FamilyResidencySet, GroupOther, EffectReleases, residencySet, none, nil},
	{193, "requestResidency", FamilyResidencySet, GroupAllocate, EffectResides, residencySet, none, nil},
	{194, "endResidency", FamilyResidencySet, GroupAllocate, EffectResides, residencySet, none, nil},
	{195, "addAllocation:", FamilyResidencySet, GroupAllocate, EffectResides, residencySet, resource, nil},
	{196, "addAllocations:count:", FamilyResidencySet, GroupAllocate, EffectResides, residencySet, howMany, nil},
	{197, "removeAllocation:", FamilyResidencySet, GroupAllocate, EffectResides, residencySet, resource, nil},
	{198, "removeAllocations:count:", FamilyResidencySet, GroupAllocate, EffectResides, residencySet, howMany, nil},
	{199, "removeAllAllocations", FamilyResidencySet, GroupAllocate, EffectResides, residencySet, none, nil},
	{200, "commit", FamilyResidencySet, GroupAllocate, EffectResides, residencySet, none, nil},
}
