package wire

// Call numbers a row of the table: a traced method or function, or a record the tracer makes of its own accord. Numbers are in
// files: rows are only ever appended, and a retired row keeps its number.
type Call uint16

// A Family is a kind of Metal object. The shim keeps one depth per thread and family, and records only the outermost call.
type Family uint8

// The families.
const (
	FamilyTracer         Family = iota // records of the tracer itself
	FamilyFunction                     // C functions
	FamilyDevice                       // MTLDevice
	FamilyQueue                        // MTLCommandQueue
	FamilyCommandBuffer                // MTLCommandBuffer
	FamilyEncoder                      // every kind of MTLCommandEncoder
	FamilyLibrary                      // MTLLibrary
	FamilyEvent                        // MTLEvent, MTLSharedEvent
	FamilyResource                     // MTLBuffer and other resources
	FamilyFunctionObject               // MTLFunction
	FamilyPipeline                     // pipeline states
	FamilyFence                        // MTLFence
)

var familyNames = [...]string{"tracer", "function", "device", "queue", "commandBuffer", "encoder", "library", "event", "resource", "functionObject", "pipeline", "fence"}

// String is the family's name in the generated header and in text output.
func (f Family) String() string {
	if int(f) < len(familyNames) {
		return familyNames[f]
	}
	return "unknown"
}

// A Group says to which part of a thread's time a call belongs.
type Group uint8

// The groups, one for each part of the partition that calls fill.
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
)

var groupNames = [...]string{"", "acquire", "encode", "commit", "wait", "compile", "allocate", "lock", "other"}

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
)

const (
	dispatchMore = "x0 grid width | height<<32, x1 grid depth | group width<<32, x2 group height | group depth<<32"
	newPipeline  = "x0 StringID of the function's name, x1 StringID of the label, x2 the function's ObjectID"
	newLibrary   = "x0 StringID of the source's FNV-1a hash in hexadecimal, x1 source bytes"
	newBuffer    = "x0 bytes, x1 MTLResourceOptions, x2 contents pointer"
	copyMore     = "x0 source buffer, x1 destination buffer"
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
	15: {"newLibraryWithData:error:", FamilyDevice, GroupCompile, "device", "new library", ""},
	16: {"newLibraryWithURL:error:", FamilyDevice, GroupCompile, "device", "new library", ""},
	17: {"newLibraryWithFile:error:", FamilyDevice, GroupCompile, "device", "new library", ""},
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

	36: {"computeCommandEncoder", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", ""},
	37: {"computeCommandEncoderWithDispatchType:", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", "x0 MTLDispatchType"},
	38: {"computeCommandEncoderWithDescriptor:", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", ""},
	39: {"blitCommandEncoder", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", ""},
	40: {"blitCommandEncoderWithDescriptor:", FamilyCommandBuffer, GroupEncode, "command buffer", "new encoder", ""},
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

	67: {"made", FamilyTracer, GroupNone, "device or library that was asked", "new object, which came to a completion handler",
		""},
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
