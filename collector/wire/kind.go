package wire

// A Kind is a kind of object that has a number.
type Kind uint8

// The kinds.
const (
	KindNone   Kind = iota // the row does not know
	KindObject             // objects of which no more is reported
	KindDevice
	KindQueue
	KindCommandBuffer
	KindEncoder
	KindComputeEncoder
	KindBlitEncoder
	KindRenderEncoder
	KindLibrary
	KindDynamicLibrary
	KindFunction
	KindPipeline
	KindArchive
	KindResource
	KindBuffer
	KindTexture
	KindTensor
	KindHeap
	KindResidencySet
	KindEvent
	KindFence
	KindIOQueue
	KindIOCommandBuffer
	KindAllocator
	KindCompiler
	KindTask
	KindLock
	KindKernel // of Metal Performance Shaders
	KindGraph
	KindProxy
	KindIndirectCommand // a place in an indirect command buffer
	KindLayer           // that drawables are shown in
	KindDrawable
)

// kinds are their names, and what each is a sort of.
var kinds = [...]struct {
	name string
	base Kind
}{
	KindNone:            {"object", KindNone},
	KindObject:          {"object", KindNone},
	KindDevice:          {"device", KindNone},
	KindQueue:           {"queue", KindNone},
	KindCommandBuffer:   {"command buffer", KindNone},
	KindEncoder:         {"encoder", KindNone},
	KindComputeEncoder:  {"encoder", KindEncoder},
	KindBlitEncoder:     {"encoder", KindEncoder},
	KindRenderEncoder:   {"encoder", KindEncoder},
	KindLibrary:         {"library", KindNone},
	KindDynamicLibrary:  {"dynamic library", KindNone},
	KindFunction:        {"function", KindNone},
	KindPipeline:        {"pipeline state", KindNone},
	KindArchive:         {"archive", KindNone},
	KindResource:        {"resource", KindNone},
	KindBuffer:          {"buffer", KindNone},
	KindTexture:         {"texture", KindNone},
	KindTensor:          {"tensor", KindNone},
	KindHeap:            {"heap", KindNone},
	KindResidencySet:    {"residency set", KindNone},
	KindEvent:           {"event", KindNone},
	KindFence:           {"fence", KindNone},
	KindIOQueue:         {"I/O queue", KindNone},
	KindIOCommandBuffer: {"I/O command buffer", KindNone},
	KindAllocator:       {"allocator", KindNone},
	KindCompiler:        {"compiler", KindNone},
	KindTask:            {"task", KindNone},
	KindLock:            {"lock", KindNone},
	KindKernel:          {"kernel", KindNone},
	KindGraph:           {"graph", KindNone},
	KindProxy:           {"proxy of command buffers", KindNone},
	KindIndirectCommand: {"indirect command", KindNone},
	KindLayer:           {"layer", KindNone},
	KindDrawable:        {"drawable", KindNone},
}

// String is what an object of the kind is called.
func (k Kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k].name
	}
	return "unknown"
}

// Is says whether objects of kind k are of kind other.
func (k Kind) Is(other Kind) bool {
	return k == other || other != KindNone && int(k) < len(kinds) && kinds[k].base == other
}

// Base is the kind without what sort of it it is.
func (k Kind) Base() Kind {
	if int(k) < len(kinds) && kinds[k].base != KindNone {
		return kinds[k].base
	}
	return k
}

// Fits says whether an object that was made as one kind can be used as another: some rows know no better than that it
// is an object, or a resource.
func (k Kind) Fits(used Kind) bool {
	vague := func(k Kind) bool { return k == KindObject || k == KindResource }
	return k.Base() == used.Base() || vague(k) || vague(used)
}
