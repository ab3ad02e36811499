package wire

// Call numbers a row of the table: a traced method or function, or a record the tracer makes of its own accord. Numbers are in
// files: rows are only ever appended, and a retired row keeps its number.
type Call uint16

// A Family is a kind of Metal object. The shim keeps one depth per thread and family, and records only the outermost call.
type Family uint8

// The families.
const (
	FamilyTracer            Family = iota // records of the tracer itself
	FamilyFunction                        // C functions
	FamilyDevice                          // MTLDevice
	FamilyQueue                           // MTLCommandQueue
	FamilyCommandBuffer                   // MTLCommandBuffer
	FamilyEncoder                         // every kind of MTLCommandEncoder
	FamilyLibrary                         // MTLLibrary
	FamilyEvent                           // MTLEvent, MTLSharedEvent
	FamilyResource                        // MTLBuffer and other resources
	FamilyFunctionObject                  // MTLFunction
	FamilyPipeline                        // pipeline states
	FamilyFence                           // MTLFence
	FamilyHeap                            // MTLHeap
	FamilyArchive                         // MTLBinaryArchive, MTL4Archive
	FamilyDynamicLibrary                  // MTLDynamicLibrary
	FamilyResidencySet                    // MTLResidencySet
	FamilyIoQueue                         // MTLIOCommandQueue
	FamilyIoCommandBuffer                 // MTLIOCommandBuffer
	FamilyMtl4Queue                       // MTL4CommandQueue
	FamilyMtl4CommandBuffer               // MTL4CommandBuffer
	FamilyMtl4Allocator                   // MTL4CommandAllocator
	FamilyCompiler                        // MTL4Compiler
	FamilyCompilerTask                    // MTL4CompilerTask
	FamilyOther                           // objects of which no method is recorded: samplers, argument encoders, file handles
	FamilyLock                            // locks of the program, of which only the waits are recorded
	FamilySignal                          // condition variables and semaphores, of which only the waits are recorded
	FamilyMpsKernel                       // kernels of Metal Performance Shaders
	FamilyMpsGraph                        // MPSGraph and its executables
	FamilyMpsCommandBuffer                // MPSCommandBuffer, a proxy
)

var familyNames = [...]string{"tracer", "function", "device", "queue", "commandBuffer", "encoder", "library", "event", "resource", "functionObject", "pipeline", "fence",
	"heap", "archive", "dynamicLibrary", "residencySet", "ioQueue", "ioCommandBuffer", "mtl4Queue", "mtl4CommandBuffer", "mtl4Allocator", "compiler", "compilerTask", "other", "lock", "signal", "mpsKernel", "mpsGraph", "mpsCommandBuffer"}

// String is the family's name in the generated header and in text output.
func (f Family) String() string {
	if int(f) < len(familyNames) {
		return familyNames[f]
	}
	return "unknown"
}

// A Group says to which part of a thread's time a call belongs.
type Group uint8

// The groups, one for each part of the partition that calls fill, and those that fill none.
const (
	GroupNone     Group = iota // not a call of the program
	GroupAcquire               // making a command buffer, which blocks when the queue is full
	GroupEncode                // encoders: making, filling, ending
	GroupCommit                // handing a command buffer to the queue
	GroupWait                  // waiting for a command buffer or an event
	GroupCompile               // libraries, functions, pipeline states
	GroupAllocate              // buffers and other memory
	GroupLock                  // waiting for a lock
	GroupOther                 // the rest of the API
	GroupSignal                // waiting for a signal of another thread: for work as often as for a result, so no part of the partition
)

var groupNames = [...]string{"", "acquire", "encode", "commit", "wait", "compile", "allocate", "lock", "other", "signal"}

// String is the group's name in documentation.
func (g Group) String() string {
	if int(g) < len(groupNames) {
		return groupNames[g]
	}
	return "unknown"
}

// A Row describes one call. Object, Arg and More say what the record's fields mean; an empty text means the field is zero or
// there is no More record. "new X" is the ObjectID given to the object the call returned, 0 when it returned nil.
type Row struct {
	Selector string // as it is written in Objective-C, or the C symbol
	Family   Family
	Group    Group
	Object   string
	Arg      string
	More     string
}

// The records of the tracer itself, and the calls the analysis asks for by name.
const (
	CallNone        Call = 0
	CallMore        Call = 1
	CallThreadStart Call = 2
	CallCompleted   Call = 3
	CallScheduled   Call = 4

	CallEncoderTimes Call = 344
	CallStack        Call = 354
	CallLayer        Call = 403
	CallCanary       Call = 357
	CallScopeBegins  Call = 358
	CallAllocated    Call = 404
)

const (
	dispatchMore = "x0 grid width | height<<32, x1 grid depth | group width<<32, x2 group height | group depth<<32"
	newPipeline  = "x0 StringID of the function's name, x1 StringID of the label, x2 the function's ObjectID"
	newLibrary   = "x0 StringID of the source's FNV-1a hash in hexadecimal, x1 source bytes"
	newBuffer    = "x0 bytes, x1 MTLResourceOptions, x2 contents pointer"
	copyMore     = "x0 source buffer, x1 destination buffer"
	lockHolder   = "thread id of the holder when the wait began, 0 when not known"
	lockMore     = "x0 StringID of its symbol or label, or of the function that waited, x1 address"
	signaller    = "thread id of the one that signalled, 0 when not known; failed when none came"
	signalMore   = "x0 StringID of its symbol or label, or of the function that waited, x1 address, x2 address of what the thread itself had signalled last, since its wait before, x3 ticks from the signal to the end"
	givenBack    = "1 when a semaphore was given back by the thread that had taken it, as a lock is"
	newResource  = "x0 bytes, x1 MTLResourceOptions"
	newEncoder   = "x0 MTLDispatchType, x1 Sampling"
	newHeap      = "x0 bytes, x1 MTLResourceOptions"
)

// Table is the one table from which the shim's header, the decoder, the text form and docs/wire.md come.
var Table = [...]Row{
	CallNone:        {"", FamilyTracer, GroupNone, "", "", ""},
	CallMore:        {"more", FamilyTracer, GroupNone, "", "", ""},
	CallThreadStart: {"thread start", FamilyTracer, GroupNone, "", "system thread id", "x0 StringID of its name"},
	CallCompleted: {"completed", FamilyTracer, GroupNone, "command buffer", "status | error code<<8",
		"x0 GPUStartTime ns, x1 GPUEndTime ns, x2 kernelStartTime ns, x3 kernelEndTime−kernelStartTime ns; begin and end are the tracer's handler"},
	CallScheduled: {"scheduled", FamilyTracer, GroupNone, "command buffer", "", ""},

	5: {"MTLCreateSystemDefaultDevice", FamilyFunction, GroupOther, "", "new device", ""},
	6: {"MTLCopyAllDevices", FamilyFunction, GroupOther, "", "devices", ""},

	7:  {"newCommandQueue", FamilyDevice, GroupOther, "device", "new queue", "x0 maximum of command buffers, 0 for the default"},
	8:  {"newCommandQueueWithMaxCommandBufferCount:", FamilyDevice, GroupOther, "device", "new queue", "x0 maximum of command buffers"},
	9:  {"newCommandQueueWithDescriptor:", FamilyDevice, GroupOther, "device", "new queue", "x0 maximum of command buffers, 0 when not known"},
	10: {"newBufferWithLength:options:", FamilyDevice, GroupAllocate, "device", "new buffer", newBuffer},
	11: {"newBufferWithBytes:length:options:", FamilyDevice, GroupAllocate, "device", "new buffer", newBuffer},
	12: {"newBufferWithBytesNoCopy:length:options:deallocator:", FamilyDevice, GroupAllocate, "device", "new buffer", newBuffer},
	13: {"newLibraryWithSource:options:error:", FamilyDevice, GroupCompile, "device", "new library", newLibrary},
	14: {"newLibraryWithSource:options:completionHandler:", FamilyDevice, GroupCompile, "device", "", newLibrary},
	15: {"newLibraryWithData:error:", FamilyDevice, GroupCompile, "device", "new library", "x0 nothing, x1 source bytes"},
	16: {"newLibraryWithURL:error:", FamilyDevice, GroupCompile, "device", "new library", "x0 StringID of the path"},
	17: {"newLibraryWithFile:error:", FamilyDevice, GroupCompile, "device", "new library", "x0 StringID of the path"},
	18: {"newDefaultLibrary", FamilyDevice, GroupCompile, "device", "new library", ""},
	19: {"newDefaultLibraryWithBundle:error:", FamilyDevice, GroupCompile, "device", "new library", ""},
	20: {"newComputePipelineStateWithFunction:error:", FamilyDevice, GroupCompile, "device", "new pipeline state", newPipeline},
	21: {"newComputePipelineStateWithFunction:options:reflection:error:", FamilyDevice, GroupCompile, "device", "new pipeline state", newPipeline},
	22: {"newComputePipelineStateWithFunction:completionHandler:", FamilyDevice, GroupCompile, "device", "", newPipeline},
	23: {"newComputePipelineStateWithFunction:options:completionHandler:", FamilyDevice, GroupCompile, "device", "", newPipeline},
	24: {"newComputePipelineStateWithDescriptor:options:reflection:error:", FamilyDevice, GroupCompile, "device", "new pipeline state", newPipeline},
	25: {"newComputePipelineStateWithDescriptor:options:completionHandler:", FamilyDevice, GroupCompile, "device", "", newPipeline},
	26: {"newEvent", FamilyDevice, GroupOther, "device", "new event", ""},
	27: {"newSharedEvent", FamilyDevice, GroupOther, "device", "new event", ""},
	28: {"newFence", FamilyDevice, GroupOther, "device", "new fence", ""},

	29: {"newFunctionWithName:", FamilyLibrary, GroupCompile, "library", "new function", "x0 StringID of the name"},
	30: {"newFunctionWithName:constantValues:error:", FamilyLibrary, GroupCompile, "library", "new function", "x0 StringID of the name"},
	31: {"newFunctionWithDescriptor:error:", FamilyLibrary, GroupCompile, "library", "new function", "x0 StringID of the name"},

	32: {"commandBuffer", FamilyQueue, GroupAcquire, "queue", "new command buffer", ""},
	33: {"commandBufferWithDescriptor:", FamilyQueue, GroupAcquire, "queue", "new command buffer", ""},
	34: {"commandBufferWithUnretainedReferences", FamilyQueue, GroupAcquire, "queue", "new command buffer", ""},
	35: {"setLabel:", FamilyQueue, GroupOther, "queue", "StringID of the label", ""},

	36: {"computeCommandEncoder", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", newEncoder},
	37: {"computeCommandEncoderWithDispatchType:", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", newEncoder},
	38: {"computeCommandEncoderWithDescriptor:", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", newEncoder},
	39: {"blitCommandEncoder", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", newEncoder},
	40: {"blitCommandEncoderWithDescriptor:", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", newEncoder},
	41: {"renderCommandEncoderWithDescriptor:", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", ""},
	42: {"parallelRenderCommandEncoderWithDescriptor:", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", ""},
	43: {"resourceStateCommandEncoder", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", ""},
	44: {"resourceStateCommandEncoderWithDescriptor:", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", ""},
	45: {"accelerationStructureCommandEncoder", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", ""},
	46: {"accelerationStructureCommandEncoderWithDescriptor:", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", ""},
	47: {"enqueue", FamilyCommandBuffer, GroupCommit, "command buffer", "", ""},
	48: {"commit", FamilyCommandBuffer, GroupCommit, "command buffer", "", ""},
	49: {"waitUntilScheduled", FamilyCommandBuffer, GroupWait, "command buffer", "", ""},
	50: {"waitUntilCompleted", FamilyCommandBuffer, GroupWait, "command buffer", "", ""},
	51: {"setLabel:", FamilyCommandBuffer, GroupOther, "command buffer", "StringID of the label", ""},
	52: {"encodeSignalEvent:value:", FamilyCommandBuffer, GroupEncode, "command buffer", "value", "x0 event"},
	53: {"encodeWaitForEvent:value:", FamilyCommandBuffer, GroupEncode, "command buffer", "value", "x0 event"},
	54: {"addScheduledHandler:", FamilyCommandBuffer, GroupOther, "command buffer", "", ""},
	55: {"addCompletedHandler:", FamilyCommandBuffer, GroupOther, "command buffer", "", ""},

	56: {"setComputePipelineState:", FamilyEncoder, GroupEncode, "encoder", "pipeline state", ""},
	57: {"dispatchThreadgroups:threadsPerThreadgroup:", FamilyEncoder, GroupEncode, "encoder", "threads", dispatchMore + " (grid in threadgroups)"},
	58: {"dispatchThreads:threadsPerThreadgroup:", FamilyEncoder, GroupEncode, "encoder", "threads", dispatchMore + " (grid in threads)"},
	59: {"dispatchThreadgroupsWithIndirectBuffer:indirectBufferOffset:threadsPerThreadgroup:", FamilyEncoder, GroupEncode, "encoder", "", dispatchMore + " (grid 0: known to the GPU only)"},
	60: {"copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:", FamilyEncoder, GroupEncode, "encoder", "bytes", copyMore},
	61: {"fillBuffer:range:value:", FamilyEncoder, GroupEncode, "encoder", "bytes", copyMore},
	62: {"setLabel:", FamilyEncoder, GroupOther, "encoder", "StringID of the label", ""},
	63: {"endEncoding", FamilyEncoder, GroupEncode, "encoder", "", ""},

	64: {"waitUntilSignaledValue:timeoutMS:", FamilyEvent, GroupWait, "event", "value", "x0 timeout ms"},
	65: {"setSignaledValue:", FamilyEvent, GroupOther, "event", "value", ""},
	66: {"notifyListener:atValue:block:", FamilyEvent, GroupOther, "event", "value", ""},

	67: {"made", FamilyTracer, GroupNone, "device, library or compiler that was asked", "new object, which came to a completion handler", ""},

	68:  {"newLogStateWithDescriptor:error:", FamilyDevice, GroupOther, "device", "new object", ""},
	69:  {"newHeapWithDescriptor:", FamilyDevice, GroupAllocate, "device", "new heap", newHeap},
	70:  {"newDepthStencilStateWithDescriptor:", FamilyDevice, GroupOther, "device", "new object", ""},
	71:  {"newTextureWithDescriptor:", FamilyDevice, GroupAllocate, "device", "new texture", newResource},
	72:  {"newTextureWithDescriptor:iosurface:plane:", FamilyDevice, GroupAllocate, "device", "new texture", newResource},
	73:  {"newSharedTextureWithDescriptor:", FamilyDevice, GroupAllocate, "device", "new texture", newResource},
	74:  {"newSharedTextureWithHandle:", FamilyDevice, GroupAllocate, "device", "new texture", newResource},
	75:  {"newSamplerStateWithDescriptor:", FamilyDevice, GroupOther, "device", "new object", ""},
	76:  {"newLibraryWithStitchedDescriptor:error:", FamilyDevice, GroupCompile, "device", "new library", ""},
	77:  {"newLibraryWithStitchedDescriptor:completionHandler:", FamilyDevice, GroupCompile, "device", "", ""},
	78:  {"newRenderPipelineStateWithDescriptor:error:", FamilyDevice, GroupCompile, "device", "new pipeline state", newPipeline},
	79:  {"newRenderPipelineStateWithDescriptor:options:reflection:error:", FamilyDevice, GroupCompile, "device", "new pipeline state", newPipeline},
	80:  {"newRenderPipelineStateWithDescriptor:completionHandler:", FamilyDevice, GroupCompile, "device", "", newPipeline},
	81:  {"newRenderPipelineStateWithDescriptor:options:completionHandler:", FamilyDevice, GroupCompile, "device", "", newPipeline},
	82:  {"newRenderPipelineStateWithTileDescriptor:options:reflection:error:", FamilyDevice, GroupCompile, "device", "new pipeline state", newPipeline},
	83:  {"newRenderPipelineStateWithTileDescriptor:options:completionHandler:", FamilyDevice, GroupCompile, "device", "", newPipeline},
	84:  {"newRenderPipelineStateWithMeshDescriptor:options:reflection:error:", FamilyDevice, GroupCompile, "device", "new pipeline state", newPipeline},
	85:  {"newRenderPipelineStateWithMeshDescriptor:options:completionHandler:", FamilyDevice, GroupCompile, "device", "", newPipeline},
	86:  {"newArgumentEncoderWithArguments:", FamilyDevice, GroupOther, "device", "new object", ""},
	87:  {"newRasterizationRateMapWithDescriptor:", FamilyDevice, GroupOther, "device", "new object", ""},
	88:  {"newIndirectCommandBufferWithDescriptor:maxCommandCount:options:", FamilyDevice, GroupAllocate, "device", "new resource", newResource},
	89:  {"newSharedEventWithHandle:", FamilyDevice, GroupOther, "device", "new event", ""},
	90:  {"newIOHandleWithURL:error:", FamilyDevice, GroupOther, "device", "new object", ""},
	91:  {"newIOCommandQueueWithDescriptor:error:", FamilyDevice, GroupOther, "device", "new I/O queue", ""},
	92:  {"newIOHandleWithURL:compressionMethod:error:", FamilyDevice, GroupOther, "device", "new object", ""},
	93:  {"newIOFileHandleWithURL:error:", FamilyDevice, GroupOther, "device", "new object", ""},
	94:  {"newIOFileHandleWithURL:compressionMethod:error:", FamilyDevice, GroupOther, "device", "new object", ""},
	95:  {"newCounterSampleBufferWithDescriptor:error:", FamilyDevice, GroupOther, "device", "new object", ""},
	96:  {"newArgumentEncoderWithBufferBinding:", FamilyDevice, GroupOther, "device", "new object", ""},
	97:  {"newDynamicLibrary:error:", FamilyDevice, GroupCompile, "device", "new dynamic library", ""},
	98:  {"newDynamicLibraryWithURL:error:", FamilyDevice, GroupCompile, "device", "new dynamic library", ""},
	99:  {"newBinaryArchiveWithDescriptor:error:", FamilyDevice, GroupCompile, "device", "new archive", ""},
	100: {"newAccelerationStructureWithSize:", FamilyDevice, GroupAllocate, "device", "new resource", newResource},
	101: {"newAccelerationStructureWithDescriptor:", FamilyDevice, GroupAllocate, "device", "new resource", newResource},
	102: {"newResidencySetWithDescriptor:error:", FamilyDevice, GroupOther, "device", "new residency set", ""},
	103: {"newTensorWithDescriptor:error:", FamilyDevice, GroupAllocate, "device", "new tensor", newResource},
	104: {"newCommandAllocator", FamilyDevice, GroupOther, "device", "new allocator", ""},
	105: {"newCommandAllocatorWithDescriptor:error:", FamilyDevice, GroupOther, "device", "new allocator", ""},
	106: {"newMTL4CommandQueue", FamilyDevice, GroupOther, "device", "new queue", ""},
	107: {"newMTL4CommandQueueWithDescriptor:error:", FamilyDevice, GroupOther, "device", "new queue", ""},
	108: {"newCommandBuffer", FamilyDevice, GroupOther, "device", "new object, which is a new command buffer each time it begins", ""},
	109: {"newArgumentTableWithDescriptor:error:", FamilyDevice, GroupOther, "device", "new object", ""},
	110: {"newTextureViewPoolWithDescriptor:error:", FamilyDevice, GroupOther, "device", "new object", ""},
	111: {"newCompilerWithDescriptor:error:", FamilyDevice, GroupOther, "device", "new compiler", ""},
	112: {"newArchiveWithURL:error:", FamilyDevice, GroupCompile, "device", "new archive", ""},
	113: {"newPipelineDataSetSerializerWithDescriptor:", FamilyDevice, GroupOther, "device", "new object", ""},
	114: {"newBufferWithLength:options:placementSparsePageSize:", FamilyDevice, GroupAllocate, "device", "new buffer", newBuffer},
	115: {"newCounterHeapWithDescriptor:error:", FamilyDevice, GroupOther, "device", "new object", ""},

	116: {"insertDebugCaptureBoundary", FamilyQueue, GroupOther, "queue", "", ""},
	117: {"addResidencySet:", FamilyQueue, GroupOther, "queue", "residency set", ""},
	118: {"addResidencySets:count:", FamilyQueue, GroupOther, "queue", "how many", ""},
	119: {"removeResidencySet:", FamilyQueue, GroupOther, "queue", "residency set", ""},
	120: {"removeResidencySets:count:", FamilyQueue, GroupOther, "queue", "how many", ""},

	121: {"presentDrawable:", FamilyCommandBuffer, GroupEncode, "command buffer", "", ""},
	122: {"presentDrawable:atTime:", FamilyCommandBuffer, GroupEncode, "command buffer", "", ""},
	123: {"presentDrawable:afterMinimumDuration:", FamilyCommandBuffer, GroupEncode, "command buffer", "", ""},
	124: {"pushDebugGroup:", FamilyCommandBuffer, GroupEncode, "command buffer", "StringID of the text", ""},
	125: {"popDebugGroup", FamilyCommandBuffer, GroupEncode, "command buffer", "", ""},
	126: {"useResidencySet:", FamilyCommandBuffer, GroupEncode, "command buffer", "residency set", ""},
	127: {"useResidencySets:count:", FamilyCommandBuffer, GroupEncode, "command buffer", "how many", ""},

	128: {"barrierAfterQueueStages:beforeStages:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	129: {"insertDebugSignpost:", FamilyEncoder, GroupEncode, "encoder", "StringID of the text", ""},
	130: {"pushDebugGroup:", FamilyEncoder, GroupEncode, "encoder", "StringID of the text", ""},
	131: {"popDebugGroup", FamilyEncoder, GroupEncode, "encoder", "", ""},

	132: {"setLabel:", FamilyEvent, GroupOther, "event", "StringID of the label", ""},
	133: {"newSharedEventHandle", FamilyEvent, GroupOther, "event", "new object", ""},

	134: {"setLabel:", FamilyFence, GroupOther, "fence", "StringID of the label", ""},

	135: {"updateFence:", FamilyEncoder, GroupEncode, "encoder", "fence", ""},
	136: {"waitForFence:", FamilyEncoder, GroupEncode, "encoder", "fence", ""},
	137: {"useResource:usage:", FamilyEncoder, GroupEncode, "encoder", "resource", ""},
	138: {"useResources:count:usage:", FamilyEncoder, GroupEncode, "encoder", "how many", ""},
	139: {"useHeap:", FamilyEncoder, GroupEncode, "encoder", "heap", ""},
	140: {"useHeaps:count:", FamilyEncoder, GroupEncode, "encoder", "how many", ""},
	141: {"executeCommandsInBuffer:withRange:", FamilyEncoder, GroupEncode, "encoder", "commands", ""},
	142: {"executeCommandsInBuffer:indirectBuffer:indirectBufferOffset:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	143: {"memoryBarrierWithScope:", FamilyEncoder, GroupEncode, "encoder", "MTLBarrierScope", ""},
	144: {"memoryBarrierWithResources:count:", FamilyEncoder, GroupEncode, "encoder", "how many", ""},
	145: {"sampleCountersInBuffer:atSampleIndex:withBarrier:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	146: {"synchronizeResource:", FamilyEncoder, GroupEncode, "encoder", "resource", ""},
	147: {"synchronizeTexture:slice:level:", FamilyEncoder, GroupEncode, "encoder", "resource", ""},
	148: {"copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toTexture:destinationSlice:destinationLevel:destinationOrigin:", FamilyEncoder, GroupEncode, "encoder", "texels, 0 for the whole", copyMore},
	149: {"copyFromBuffer:sourceOffset:sourceBytesPerRow:sourceBytesPerImage:sourceSize:toTexture:destinationSlice:destinationLevel:destinationOrigin:", FamilyEncoder, GroupEncode, "encoder", "bytes", copyMore},
	150: {"copyFromBuffer:sourceOffset:sourceBytesPerRow:sourceBytesPerImage:sourceSize:toTexture:destinationSlice:destinationLevel:destinationOrigin:options:", FamilyEncoder, GroupEncode, "encoder", "bytes", copyMore},
	151: {"copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toBuffer:destinationOffset:destinationBytesPerRow:destinationBytesPerImage:", FamilyEncoder, GroupEncode, "encoder", "bytes", copyMore},
	152: {"copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toBuffer:destinationOffset:destinationBytesPerRow:destinationBytesPerImage:options:", FamilyEncoder, GroupEncode, "encoder", "bytes", copyMore},
	153: {"generateMipmapsForTexture:", FamilyEncoder, GroupEncode, "encoder", "resource", ""},
	154: {"copyFromTexture:sourceSlice:sourceLevel:toTexture:destinationSlice:destinationLevel:sliceCount:levelCount:", FamilyEncoder, GroupEncode, "encoder", "texels, 0 for the whole", copyMore},
	155: {"copyFromTexture:toTexture:", FamilyEncoder, GroupEncode, "encoder", "texels, 0 for the whole", copyMore},
	156: {"optimizeContentsForGPUAccess:", FamilyEncoder, GroupEncode, "encoder", "resource", ""},
	157: {"optimizeContentsForGPUAccess:slice:level:", FamilyEncoder, GroupEncode, "encoder", "resource", ""},
	158: {"optimizeContentsForCPUAccess:", FamilyEncoder, GroupEncode, "encoder", "resource", ""},
	159: {"optimizeContentsForCPUAccess:slice:level:", FamilyEncoder, GroupEncode, "encoder", "resource", ""},
	160: {"resetCommandsInBuffer:withRange:", FamilyEncoder, GroupEncode, "encoder", "commands", ""},
	161: {"copyIndirectCommandBuffer:sourceRange:destination:destinationIndex:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	162: {"optimizeIndirectCommandBuffer:withRange:", FamilyEncoder, GroupEncode, "encoder", "commands", ""},
	163: {"resolveCounters:inRange:destinationBuffer:destinationOffset:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	164: {"copyFromTensor:sourceOrigin:sourceDimensions:toTensor:destinationOrigin:destinationDimensions:", FamilyEncoder, GroupEncode, "encoder", "", copyMore},

	165: {"setLabel:", FamilyArchive, GroupOther, "archive", "StringID of the label", ""},
	166: {"addComputePipelineFunctionsWithDescriptor:error:", FamilyArchive, GroupCompile, "archive", "", ""},
	167: {"addRenderPipelineFunctionsWithDescriptor:error:", FamilyArchive, GroupCompile, "archive", "", ""},
	168: {"addTileRenderPipelineFunctionsWithDescriptor:error:", FamilyArchive, GroupCompile, "archive", "", ""},
	169: {"addMeshRenderPipelineFunctionsWithDescriptor:error:", FamilyArchive, GroupCompile, "archive", "", ""},
	170: {"addLibraryWithDescriptor:error:", FamilyArchive, GroupCompile, "archive", "", ""},
	171: {"serializeToURL:error:", FamilyArchive, GroupOther, "archive", "", ""},
	172: {"addFunctionWithDescriptor:library:error:", FamilyArchive, GroupCompile, "archive", "", ""},

	173: {"setLabel:", FamilyHeap, GroupOther, "heap", "StringID of the label", ""},
	174: {"newBufferWithLength:options:", FamilyHeap, GroupAllocate, "heap", "new buffer", newBuffer},
	175: {"newTextureWithDescriptor:", FamilyHeap, GroupAllocate, "heap", "new texture", newResource},
	176: {"setPurgeableState:", FamilyHeap, GroupAllocate, "heap", "MTLPurgeableState", ""},
	177: {"newBufferWithLength:options:offset:", FamilyHeap, GroupAllocate, "heap", "new buffer", newBuffer},
	178: {"newTextureWithDescriptor:offset:", FamilyHeap, GroupAllocate, "heap", "new texture", newResource},
	179: {"newAccelerationStructureWithSize:", FamilyHeap, GroupAllocate, "heap", "new resource", newResource},
	180: {"newAccelerationStructureWithDescriptor:", FamilyHeap, GroupAllocate, "heap", "new resource", newResource},
	181: {"newAccelerationStructureWithSize:offset:", FamilyHeap, GroupAllocate, "heap", "new resource", newResource},
	182: {"newAccelerationStructureWithDescriptor:offset:", FamilyHeap, GroupAllocate, "heap", "new resource", newResource},

	183: {"setLabel:", FamilyFunctionObject, GroupOther, "function", "StringID of the label", ""},
	184: {"newArgumentEncoderWithBufferIndex:", FamilyFunctionObject, GroupOther, "function", "new object", ""},
	185: {"newArgumentEncoderWithBufferIndex:reflection:", FamilyFunctionObject, GroupOther, "function", "new object", ""},

	186: {"setLabel:", FamilyLibrary, GroupOther, "library", "StringID of the label", ""},
	187: {"newFunctionWithName:constantValues:completionHandler:", FamilyLibrary, GroupCompile, "library", "", "x0 StringID of the name"},
	188: {"newFunctionWithDescriptor:completionHandler:", FamilyLibrary, GroupCompile, "library", "", "x0 StringID of the name"},
	189: {"newIntersectionFunctionWithDescriptor:completionHandler:", FamilyLibrary, GroupCompile, "library", "", "x0 StringID of the name"},
	190: {"newIntersectionFunctionWithDescriptor:error:", FamilyLibrary, GroupCompile, "library", "new function", "x0 StringID of the name"},

	191: {"setLabel:", FamilyDynamicLibrary, GroupOther, "dynamic library", "StringID of the label", ""},
	192: {"serializeToURL:error:", FamilyDynamicLibrary, GroupOther, "dynamic library", "", ""},

	193: {"requestResidency", FamilyResidencySet, GroupAllocate, "residency set", "", ""},
	194: {"endResidency", FamilyResidencySet, GroupAllocate, "residency set", "", ""},
	195: {"addAllocation:", FamilyResidencySet, GroupOther, "residency set", "resource", ""},
	196: {"addAllocations:count:", FamilyResidencySet, GroupOther, "residency set", "how many", ""},
	197: {"removeAllocation:", FamilyResidencySet, GroupOther, "residency set", "resource", ""},
	198: {"removeAllocations:count:", FamilyResidencySet, GroupOther, "residency set", "how many", ""},
	199: {"removeAllAllocations", FamilyResidencySet, GroupOther, "residency set", "", ""},
	200: {"commit", FamilyResidencySet, GroupOther, "residency set", "", ""},

	201: {"enqueueBarrier", FamilyIoQueue, GroupOther, "I/O queue", "", ""},
	202: {"commandBuffer", FamilyIoQueue, GroupOther, "I/O queue", "new I/O command buffer", ""},
	203: {"commandBufferWithUnretainedReferences", FamilyIoQueue, GroupOther, "I/O queue", "new I/O command buffer", ""},
	204: {"setLabel:", FamilyIoQueue, GroupOther, "I/O queue", "StringID of the label", ""},

	205: {"addCompletedHandler:", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "", ""},
	206: {"loadBytes:size:sourceHandle:sourceHandleOffset:", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "bytes", ""},
	207: {"loadBuffer:offset:size:sourceHandle:sourceHandleOffset:", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "bytes", ""},
	208: {"loadTexture:slice:level:size:sourceBytesPerRow:sourceBytesPerImage:destinationOrigin:sourceHandle:sourceHandleOffset:", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "bytes", ""},
	209: {"copyStatusToBuffer:offset:", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "", ""},
	210: {"commit", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "", ""},
	211: {"waitUntilCompleted", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "", ""},
	212: {"tryCancel", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "", ""},
	213: {"addBarrier", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "", ""},
	214: {"pushDebugGroup:", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "StringID of the text", ""},
	215: {"popDebugGroup", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "", ""},
	216: {"enqueue", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "", ""},
	217: {"waitForEvent:value:", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "value", "x0 event"},
	218: {"signalEvent:value:", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "value", "x0 event"},
	219: {"setLabel:", FamilyIoCommandBuffer, GroupOther, "I/O command buffer", "StringID of the label", ""},

	220: {"setLabel:", FamilyResource, GroupOther, "resource", "StringID of the label", ""},
	221: {"setPurgeableState:", FamilyResource, GroupAllocate, "resource", "MTLPurgeableState", ""},
	222: {"makeAliasable", FamilyResource, GroupAllocate, "resource", "", ""},
	223: {"didModifyRange:", FamilyResource, GroupOther, "resource", "bytes", ""},
	224: {"newTextureWithDescriptor:offset:bytesPerRow:", FamilyResource, GroupAllocate, "resource", "new texture", newResource},
	225: {"newTensorWithDescriptor:offset:error:", FamilyResource, GroupAllocate, "resource", "new tensor", newResource},

	226: {"newComputePipelineStateWithBinaryFunctions:error:", FamilyPipeline, GroupCompile, "pipeline state", "new pipeline state", ""},
	227: {"newComputePipelineStateWithAdditionalBinaryFunctions:error:", FamilyPipeline, GroupCompile, "pipeline state", "new pipeline state", ""},
	228: {"newVisibleFunctionTableWithDescriptor:", FamilyPipeline, GroupAllocate, "pipeline state", "new resource", newResource},
	229: {"newIntersectionFunctionTableWithDescriptor:", FamilyPipeline, GroupAllocate, "pipeline state", "new resource", newResource},

	230: {"buildAccelerationStructure:descriptor:scratchBuffer:scratchBufferOffset:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	231: {"refitAccelerationStructure:descriptor:destination:scratchBuffer:scratchBufferOffset:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	232: {"refitAccelerationStructure:descriptor:destination:scratchBuffer:scratchBufferOffset:options:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	233: {"copyAccelerationStructure:toAccelerationStructure:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	234: {"writeCompactedAccelerationStructureSize:toBuffer:offset:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	235: {"writeCompactedAccelerationStructureSize:toBuffer:offset:sizeDataType:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	236: {"copyAndCompactAccelerationStructure:toAccelerationStructure:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	237: {"updateTextureMappings:mode:regions:mipLevels:slices:numRegions:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	238: {"updateTextureMapping:mode:region:mipLevel:slice:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	239: {"updateTextureMapping:mode:indirectBuffer:indirectBufferOffset:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	240: {"moveTextureMappingsFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toTexture:destinationSlice:destinationLevel:destinationOrigin:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	241: {"renderCommandEncoder", FamilyEncoder, GroupEncode, "encoder", "new encoder", ""},

	242: {"commit:count:", FamilyMtl4Queue, GroupCommit, "queue", "command buffers", "x0 first command buffer | second<<32, x1 third | fourth<<32, x2 fifth | sixth<<32"},
	243: {"commit:count:options:", FamilyMtl4Queue, GroupCommit, "queue", "command buffers", "x0 first command buffer | second<<32, x1 third | fourth<<32, x2 fifth | sixth<<32"},
	244: {"signalEvent:value:", FamilyMtl4Queue, GroupOther, "queue", "value", "x0 event"},
	245: {"waitForEvent:value:", FamilyMtl4Queue, GroupOther, "queue", "value", "x0 event"},
	246: {"signalDrawable:", FamilyMtl4Queue, GroupOther, "queue", "", ""},
	247: {"waitForDrawable:", FamilyMtl4Queue, GroupOther, "queue", "", ""},
	248: {"addResidencySet:", FamilyMtl4Queue, GroupOther, "queue", "residency set", ""},
	249: {"addResidencySets:count:", FamilyMtl4Queue, GroupOther, "queue", "how many", ""},
	250: {"removeResidencySet:", FamilyMtl4Queue, GroupOther, "queue", "residency set", ""},
	251: {"removeResidencySets:count:", FamilyMtl4Queue, GroupOther, "queue", "how many", ""},
	252: {"updateTextureMappings:heap:operations:count:", FamilyMtl4Queue, GroupOther, "queue", "how many", ""},
	253: {"copyTextureMappingsFromTexture:toTexture:operations:count:", FamilyMtl4Queue, GroupOther, "queue", "how many", ""},
	254: {"updateBufferMappings:heap:operations:count:", FamilyMtl4Queue, GroupOther, "queue", "how many", ""},
	255: {"copyBufferMappingsFromBuffer:toBuffer:operations:count:", FamilyMtl4Queue, GroupOther, "queue", "how many", ""},

	256: {"setLabel:", FamilyMtl4CommandBuffer, GroupOther, "command buffer", "StringID of the label", ""},
	257: {"beginCommandBufferWithAllocator:", FamilyMtl4CommandBuffer, GroupEncode, "", "new command buffer", "x0 allocator"},
	258: {"beginCommandBufferWithAllocator:options:", FamilyMtl4CommandBuffer, GroupEncode, "", "new command buffer", "x0 allocator"},
	259: {"endCommandBuffer", FamilyMtl4CommandBuffer, GroupEncode, "command buffer", "", ""},
	260: {"renderCommandEncoderWithDescriptor:", FamilyMtl4CommandBuffer, GroupEncode, "command buffer", "new encoder", ""},
	261: {"renderCommandEncoderWithDescriptor:options:", FamilyMtl4CommandBuffer, GroupEncode, "command buffer", "new encoder", ""},
	262: {"computeCommandEncoder", FamilyMtl4CommandBuffer, GroupEncode, "command buffer", "new encoder", ""},
	263: {"machineLearningCommandEncoder", FamilyMtl4CommandBuffer, GroupEncode, "command buffer", "new encoder", ""},
	264: {"useResidencySet:", FamilyMtl4CommandBuffer, GroupEncode, "command buffer", "residency set", ""},
	265: {"useResidencySets:count:", FamilyMtl4CommandBuffer, GroupEncode, "command buffer", "how many", ""},
	266: {"pushDebugGroup:", FamilyMtl4CommandBuffer, GroupEncode, "command buffer", "StringID of the text", ""},
	267: {"popDebugGroup", FamilyMtl4CommandBuffer, GroupEncode, "command buffer", "", ""},
	268: {"writeTimestampIntoHeap:atIndex:", FamilyMtl4CommandBuffer, GroupEncode, "command buffer", "", ""},
	269: {"resolveCounterHeap:withRange:intoBuffer:waitFence:updateFence:", FamilyMtl4CommandBuffer, GroupEncode, "command buffer", "", ""},

	270: {"reset", FamilyMtl4Allocator, GroupOther, "allocator", "", ""},

	271: {"barrierAfterQueueStages:beforeStages:visibilityOptions:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	272: {"barrierAfterStages:beforeQueueStages:visibilityOptions:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	273: {"barrierAfterEncoderStages:beforeEncoderStages:visibilityOptions:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	274: {"updateFence:afterEncoderStages:", FamilyEncoder, GroupEncode, "encoder", "fence", ""},
	275: {"waitForFence:beforeEncoderStages:", FamilyEncoder, GroupEncode, "encoder", "fence", ""},
	276: {"dispatchThreadgroupsWithIndirectBuffer:threadsPerThreadgroup:", FamilyEncoder, GroupEncode, "encoder", "", dispatchMore + " (grid 0: known to the GPU only)"},
	277: {"dispatchThreadsWithIndirectBuffer:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	278: {"executeCommandsInBuffer:indirectBuffer:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	279: {"buildAccelerationStructure:descriptor:scratchBuffer:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	280: {"refitAccelerationStructure:descriptor:destination:scratchBuffer:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	281: {"refitAccelerationStructure:descriptor:destination:scratchBuffer:options:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	282: {"writeCompactedAccelerationStructureSize:toBuffer:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	283: {"writeTimestampWithGranularity:intoHeap:atIndex:", FamilyEncoder, GroupEncode, "encoder", "", ""},

	284: {"newLibraryWithDescriptor:error:", FamilyCompiler, GroupCompile, "compiler", "new library", newLibrary},
	285: {"newDynamicLibrary:error:", FamilyCompiler, GroupCompile, "compiler", "new dynamic library", ""},
	286: {"newDynamicLibraryWithURL:error:", FamilyCompiler, GroupCompile, "compiler", "new dynamic library", ""},
	287: {"newComputePipelineStateWithDescriptor:compilerTaskOptions:error:", FamilyCompiler, GroupCompile, "compiler", "new pipeline state", newPipeline},
	288: {"newComputePipelineStateWithDescriptor:dynamicLinkingDescriptor:compilerTaskOptions:error:", FamilyCompiler, GroupCompile, "compiler", "new pipeline state", newPipeline},
	289: {"newRenderPipelineStateWithDescriptor:compilerTaskOptions:error:", FamilyCompiler, GroupCompile, "compiler", "new pipeline state", newPipeline},
	290: {"newRenderPipelineStateWithDescriptor:dynamicLinkingDescriptor:compilerTaskOptions:error:", FamilyCompiler, GroupCompile, "compiler", "new pipeline state", newPipeline},
	291: {"newRenderPipelineStateBySpecializationWithDescriptor:pipeline:error:", FamilyCompiler, GroupCompile, "compiler", "new pipeline state", newPipeline},
	292: {"newBinaryFunctionWithDescriptor:compilerTaskOptions:error:", FamilyCompiler, GroupCompile, "compiler", "new function", ""},
	293: {"newLibraryWithDescriptor:completionHandler:", FamilyCompiler, GroupCompile, "compiler", "new task", newLibrary},
	294: {"newDynamicLibrary:completionHandler:", FamilyCompiler, GroupCompile, "compiler", "new task", ""},
	295: {"newDynamicLibraryWithURL:completionHandler:", FamilyCompiler, GroupCompile, "compiler", "new task", ""},
	296: {"newComputePipelineStateWithDescriptor:compilerTaskOptions:completionHandler:", FamilyCompiler, GroupCompile, "compiler", "new task", newPipeline},
	297: {"newComputePipelineStateWithDescriptor:dynamicLinkingDescriptor:compilerTaskOptions:completionHandler:", FamilyCompiler, GroupCompile, "compiler", "new task", newPipeline},
	298: {"newRenderPipelineStateWithDescriptor:compilerTaskOptions:completionHandler:", FamilyCompiler, GroupCompile, "compiler", "new task", newPipeline},
	299: {"newRenderPipelineStateWithDescriptor:dynamicLinkingDescriptor:compilerTaskOptions:completionHandler:", FamilyCompiler, GroupCompile, "compiler", "new task", newPipeline},
	300: {"newRenderPipelineStateBySpecializationWithDescriptor:pipeline:completionHandler:", FamilyCompiler, GroupCompile, "compiler", "new task", newPipeline},
	301: {"newBinaryFunctionWithDescriptor:compilerTaskOptions:completionHandler:", FamilyCompiler, GroupCompile, "compiler", "new task", ""},
	302: {"newMachineLearningPipelineStateWithDescriptor:error:", FamilyCompiler, GroupCompile, "compiler", "new pipeline state", newPipeline},
	303: {"newMachineLearningPipelineStateWithDescriptor:completionHandler:", FamilyCompiler, GroupCompile, "compiler", "new task", newPipeline},

	304: {"waitUntilCompleted", FamilyCompilerTask, GroupCompile, "task", "", ""},

	305: {"newComputePipelineStateWithDescriptor:error:", FamilyArchive, GroupCompile, "archive", "new pipeline state", newPipeline},
	306: {"newComputePipelineStateWithDescriptor:dynamicLinkingDescriptor:error:", FamilyArchive, GroupCompile, "archive", "new pipeline state", newPipeline},
	307: {"newRenderPipelineStateWithDescriptor:error:", FamilyArchive, GroupCompile, "archive", "new pipeline state", newPipeline},
	308: {"newRenderPipelineStateWithDescriptor:dynamicLinkingDescriptor:error:", FamilyArchive, GroupCompile, "archive", "new pipeline state", newPipeline},
	309: {"newBinaryFunctionWithDescriptor:error:", FamilyArchive, GroupCompile, "archive", "new function", ""},

	310: {"setPipelineState:", FamilyEncoder, GroupEncode, "encoder", "pipeline state", ""},
	311: {"dispatchNetworkWithIntermediatesHeap:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	312: {"setRenderPipelineState:", FamilyEncoder, GroupEncode, "encoder", "pipeline state", ""},
	313: {"drawPrimitives:vertexStart:vertexCount:", FamilyEncoder, GroupEncode, "encoder", "vertices", ""},
	314: {"drawPrimitives:vertexStart:vertexCount:instanceCount:", FamilyEncoder, GroupEncode, "encoder", "vertices", ""},
	315: {"drawPrimitives:vertexStart:vertexCount:instanceCount:baseInstance:", FamilyEncoder, GroupEncode, "encoder", "vertices", ""},
	316: {"drawPrimitives:indirectBuffer:indirectBufferOffset:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	317: {"drawIndexedPrimitives:indexCount:indexType:indexBuffer:indexBufferOffset:", FamilyEncoder, GroupEncode, "encoder", "vertices", ""},
	318: {"drawIndexedPrimitives:indexCount:indexType:indexBuffer:indexBufferOffset:instanceCount:", FamilyEncoder, GroupEncode, "encoder", "vertices", ""},
	319: {"drawIndexedPrimitives:indexCount:indexType:indexBuffer:indexBufferOffset:instanceCount:baseVertex:baseInstance:", FamilyEncoder, GroupEncode, "encoder", "vertices", ""},
	320: {"drawIndexedPrimitives:indexType:indexBuffer:indexBufferOffset:indirectBuffer:indirectBufferOffset:", FamilyEncoder, GroupEncode, "encoder", "", ""},
	321: {"drawMeshThreadgroups:threadsPerObjectThreadgroup:threadsPerMeshThreadgroup:", FamilyEncoder, GroupEncode, "encoder", "threads", ""},
	322: {"drawMeshThreads:threadsPerObjectThreadgroup:threadsPerMeshThreadgroup:", FamilyEncoder, GroupEncode, "encoder", "threads", ""},
	323: {"dispatchThreadsPerTile:", FamilyEncoder, GroupEncode, "encoder", "", ""},

	324: {"newTextureViewWithPixelFormat:", FamilyResource, GroupAllocate, "resource", "new texture", newResource},
	325: {"newTextureViewWithPixelFormat:textureType:levels:slices:", FamilyResource, GroupAllocate, "resource", "new texture", newResource},
	326: {"replaceRegion:mipmapLevel:withBytes:bytesPerRow:", FamilyResource, GroupOther, "resource", "bytes", ""},
	327: {"replaceRegion:mipmapLevel:slice:withBytes:bytesPerRow:bytesPerImage:", FamilyResource, GroupOther, "resource", "bytes", ""},
	328: {"getBytes:bytesPerRow:fromRegion:mipmapLevel:", FamilyResource, GroupOther, "resource", "bytes", ""},
	329: {"getBytes:bytesPerRow:bytesPerImage:fromRegion:mipmapLevel:slice:", FamilyResource, GroupOther, "resource", "bytes", ""},
	330: {"dealloc", FamilyResource, GroupAllocate, "resource", "", ""},

	331: {"dealloc", FamilyHeap, GroupAllocate, "heap", "", ""},

	332: {"pthread_mutex_lock", FamilyLock, GroupLock, "lock", lockHolder, lockMore},
	333: {"pthread_rwlock_rdlock", FamilyLock, GroupLock, "lock", lockHolder, lockMore},
	334: {"pthread_rwlock_wrlock", FamilyLock, GroupLock, "lock", lockHolder, lockMore},
	335: {"pthread_cond_wait", FamilyLock, GroupLock, "lock", lockHolder, lockMore},
	336: {"pthread_cond_timedwait", FamilyLock, GroupLock, "lock", lockHolder, lockMore},
	337: {"dispatch_sync", FamilyLock, GroupLock, "lock", lockHolder, lockMore},
	338: {"dispatch_sync_f", FamilyLock, GroupLock, "lock", lockHolder, lockMore},
	339: {"dispatch_barrier_sync", FamilyLock, GroupLock, "lock", lockHolder, lockMore},
	340: {"dispatch_barrier_sync_f", FamilyLock, GroupLock, "lock", lockHolder, lockMore},
	341: {"dispatch_semaphore_wait", FamilyLock, GroupLock, "lock", lockHolder, lockMore},

	342: {"mark", FamilyTracer, GroupNone, "", "StringID of the name the program gave to the moment", ""},
	343: {"scope", FamilyTracer, GroupNone, "", "StringID of the name the program gave to the time from begin to end", "x0 how many scopes are around it"},

	CallEncoderTimes: {"encoder times", FamilyTracer, GroupNone, "encoder", "Sampling", "x0 start on the GPU ns, x1 end ns; both 0 when they were not measured"},

	345: {"pthread_cond_wait", FamilySignal, GroupSignal, "", signaller, signalMore},
	346: {"pthread_cond_timedwait", FamilySignal, GroupSignal, "", signaller, signalMore},
	347: {"pthread_cond_clockwait", FamilySignal, GroupSignal, "", signaller, signalMore},
	348: {"pthread_cond_timedwait_relative_np", FamilySignal, GroupSignal, "", signaller, signalMore},
	349: {"sem_wait", FamilySignal, GroupSignal, givenBack, signaller, signalMore},
	350: {"sem_timedwait", FamilySignal, GroupSignal, givenBack, signaller, signalMore},
	351: {"sem_clockwait", FamilySignal, GroupSignal, givenBack, signaller, signalMore},
	352: {"dispatch_semaphore_wait", FamilySignal, GroupSignal, givenBack, signaller, signalMore},
	353: {"dispatch_group_wait", FamilySignal, GroupSignal, "", signaller, signalMore},

	CallStack: {"stack", FamilyTracer, GroupNone, "bit 0: the interpreter's lock was held, bit 1: it is known whether it was",
		"StackID of the call that begins at the end of this record, which is the time that it took to find it", ""},

	355:        {"commitCommandBuffer:wake:", FamilyQueue, GroupNone, "counted, never recorded", "", ""},
	356:        {"commandBufferDidComplete:startTime:completionTime:error:", FamilyQueue, GroupNone, "counted, never recorded", "", ""},
	CallCanary: {"canary", FamilyTracer, GroupNone, "", "a call that the self-check made and that was seen", ""},

	CallScopeBegins: {"scope begins", FamilyTracer, GroupNone, "how many scopes are around it", "StringID of its name; a scope record follows when it ends", ""},
	CallLayer:       {"layer", FamilyTracer, GroupNone, "0 a kernel of Metal Performance Shaders, 1 a graph", "StringID of the class whose call begins", ""},
	359:             {"encodeToCommandBuffer:leftMatrix:rightMatrix:resultMatrix:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	360:             {"encodeToCommandBuffer:inputMatrix:inputVector:resultVector:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	361:             {"encodeToCommandBuffer:inputMatrix:resultMatrix:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	362:             {"encodeToCommandBuffer:copyDescriptor:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	363:             {"encodeToCommandBuffer:sourceMatrix:resultMatrix:status:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	364:             {"encodeToCommandBuffer:sourceMatrix:resultMatrix:pivotIndices:status:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	365:             {"encodeToCommandBuffer:sourceMatrix:rightHandSideMatrix:solutionMatrix:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	366:             {"encodeToCommandBuffer:sourceMatrix:rightHandSideMatrix:pivotIndices:solutionMatrix:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	367:             {"encodeToCommandBuffer:inputMatrix:resultIndexMatrix:resultValueMatrix:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	368:             {"encodeToCommandBuffer:sourceMatrices:resultMatrix:scaleVector:offsetVector:biasVector:startIndex:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	369:             {"encodeToCommandBuffer:inputMatrix:biasVector:resultMatrix:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	370:             {"encodeToCommandBuffer:inputMatrix:weightMatrix:biasVector:resultMatrix:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	371:             {"encodeToCommandBuffer:destinationMatrix:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	372:             {"encodeToCommandBuffer:destinationVector:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	373:             {"encodeToCommandBuffer:sourceTexture:destinationTexture:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	374:             {"encodeToCommandBuffer:sourceImage:destinationImage:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	375:             {"encodeToCommandBuffer:inPlaceTexture:fallbackCopyAllocator:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	376:             {"encodeToCommandBuffer:primaryTexture:secondaryTexture:destinationTexture:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	377:             {"encodeToCommandBuffer:primaryImage:secondaryImage:destinationImage:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	378:             {"encodeToCommandBuffer:sourceImage:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	379:             {"encodeToCommandBuffer:primaryImage:secondaryImage:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	380:             {"encodeToCommandBuffer:sourceTexture:histogram:histogramOffset:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	381:             {"encodeBatchToCommandBuffer:sourceImages:destinationImages:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	382:             {"encodeBatchToCommandBuffer:sourceImages:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	383:             {"encodeToCommandBuffer:sourceArrays:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	384:             {"encodeToCommandBuffer:sourceArrays:destinationArray:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	385:             {"encodeToCommandBuffer:sourceArray:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	386:             {"encodeToCommandBuffer:sourceArray:destinationArray:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	387:             {"encodeToCommandBuffer:primarySourceArray:secondarySourceArray:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	388:             {"encodeToCommandBuffer:primarySourceArray:secondarySourceArray:destinationArray:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	389:             {"encodeToCommandBuffer:sourceImages:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},
	390:             {"encodeToCommandEncoder:commandBuffer:sourceArrays:destinationArray:", FamilyMpsKernel, GroupEncode, "kernel", "", ""},

	391: {"encodeToCommandBuffer:feeds:targetOperations:resultsDictionary:executionDescriptor:", FamilyMpsGraph, GroupEncode, "graph", "", ""},
	392: {"encodeToCommandBuffer:feeds:targetTensors:targetOperations:executionDescriptor:", FamilyMpsGraph, GroupEncode, "graph", "", ""},
	393: {"runWithMTLCommandQueue:feeds:targetTensors:targetOperations:", FamilyMpsGraph, GroupEncode, "graph", "", ""},
	394: {"runWithMTLCommandQueue:feeds:targetOperations:resultsDictionary:", FamilyMpsGraph, GroupEncode, "graph", "", ""},
	395: {"runAsyncWithMTLCommandQueue:feeds:targetTensors:targetOperations:executionDescriptor:", FamilyMpsGraph, GroupEncode, "graph", "", ""},
	396: {"runAsyncWithMTLCommandQueue:feeds:targetOperations:resultsDictionary:executionDescriptor:", FamilyMpsGraph, GroupEncode, "graph", "", ""},
	397: {"runWithFeeds:targetTensors:targetOperations:", FamilyMpsGraph, GroupEncode, "graph", "", ""},
	398: {"runAsyncWithFeeds:targetTensors:targetOperations:executionDescriptor:", FamilyMpsGraph, GroupEncode, "graph", "", ""},
	399: {"encodeToCommandBuffer:inputsArray:resultsArray:executionDescriptor:", FamilyMpsGraph, GroupEncode, "graph", "", ""},
	400: {"runWithMTLCommandQueue:inputsArray:resultsArray:executionDescriptor:", FamilyMpsGraph, GroupEncode, "graph", "", ""},
	401: {"runAsyncWithMTLCommandQueue:inputsArray:resultsArray:executionDescriptor:", FamilyMpsGraph, GroupEncode, "graph", "", ""},

	402: {"commitAndContinue", FamilyMpsCommandBuffer, GroupCommit, "proxy of command buffers", "", ""},

	CallAllocated: {"allocated", FamilyTracer, GroupNone, "device", "currentAllocatedSize in bytes", ""},
}

// Row is the call's row in the table. A number beyond the table, from a newer library, has a row that says so.
func (c Call) Row() Row {
	if int(c) < len(Table) {
		return Table[c]
	}
	return Row{Selector: "unknown", Family: FamilyTracer}
}

// String is the selector or symbol, as it is written.
func (c Call) String() string { return c.Row().Selector }

// Lookup finds the call of a family by its selector.
func Lookup(family Family, selector string) (Call, bool) {
	for i, row := range Table {
		if row.Family == family && row.Selector == selector {
			return Call(i), true
		}
	}
	return CallNone, false
}

// MustLookup is Lookup for selectors that are known to be in the table; it panics when they are not, at program start.
func MustLookup(family Family, selector string) Call {
	c, ok := Lookup(family, selector)
	if !ok {
		panic("wire: no call " + selector + " of family " + family.String())
	}
	return c
}
