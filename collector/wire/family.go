package wire

// A Family is a group of Metal classes whose methods may call each other, such as a public class and a driver's
// subclass of it. If such a method calls another one of its family, the library records only the outermost call, so
// that one call of the program has one record.
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
	// objects without recorded methods: samplers, argument encoders, file handles and others
	FamilyOther
	FamilyLock             // locks of the program; only waits for them are recorded
	FamilySignal           // condition variables and semaphores; only waits for them are recorded
	FamilyMpsKernel        // kernels of Metal Performance Shaders
	FamilyMpsGraph         // MPSGraph and its executables
	FamilyMpsCommandBuffer // MPSCommandBuffer, a proxy
	FamilyIndirectCommand  // MTLIndirectComputeCommand
	FamilyLayer            // CAMetalLayer
	FamilyDrawable         // CAMetalDrawable
)

var familyNames = [...]string{
	FamilyTracer:            "tracer",
	FamilyFunction:          "function",
	FamilyDevice:            "device",
	FamilyQueue:             "queue",
	FamilyCommandBuffer:     "commandBuffer",
	FamilyEncoder:           "encoder",
	FamilyLibrary:           "library",
	FamilyEvent:             "event",
	FamilyResource:          "resource",
	FamilyFunctionObject:    "functionObject",
	FamilyPipeline:          "pipeline",
	FamilyFence:             "fence",
	FamilyHeap:              "heap",
	FamilyArchive:           "archive",
	FamilyDynamicLibrary:    "dynamicLibrary",
	FamilyResidencySet:      "residencySet",
	FamilyIoQueue:           "ioQueue",
	FamilyIoCommandBuffer:   "ioCommandBuffer",
	FamilyMtl4Queue:         "mtl4Queue",
	FamilyMtl4CommandBuffer: "mtl4CommandBuffer",
	FamilyMtl4Allocator:     "mtl4Allocator",
	FamilyCompiler:          "compiler",
	FamilyCompilerTask:      "compilerTask",
	FamilyOther:             "other",
	FamilyLock:              "lock",
	FamilySignal:            "signal",
	FamilyMpsKernel:         "mpsKernel",
	FamilyMpsGraph:          "mpsGraph",
	FamilyMpsCommandBuffer:  "mpsCommandBuffer",
	FamilyIndirectCommand:   "indirectCommand",
	FamilyLayer:             "layer",
	FamilyDrawable:          "drawable",
}

// String returns the name of the family in the generated C header and in text output.
func (f Family) String() string {
	if int(f) < len(familyNames) {
		return familyNames[f]
	}
	return "unknown"
}
