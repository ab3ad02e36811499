package wire

// A Kind is the kind of a numbered object, such as a queue or an encoder.
type Kind uint8

// The kinds.
const (
	KindNone   Kind = iota // no object, or an object of unknown kind
	KindObject             // an object about which nothing else is recorded
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
	KindIndirectCommand // a command of an indirect command buffer
	KindLayer           // a CAMetalLayer, which shows drawables
	KindDrawable
)

// kinds has the name of each kind of object, and the more general kind to which it belongs, for example encoder for
// compute encoder.
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

// String returns the name of the kind for reports.
func (k Kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k].name
	}
	return "unknown"
}

// Is reports whether every object of kind k is also of kind other: a blit encoder is an encoder.
func (k Kind) Is(other Kind) bool {
	return k == other || other != KindNone && int(k) < len(kinds) && kinds[k].base == other
}

// Base returns the more general kind to which k belongs, or k itself if there is none.
func (k Kind) Base() Kind {
	if int(k) < len(kinds) && kinds[k].base != KindNone {
		return kinds[k].base
	}
	return k
}

// Fits reports whether an object created as kind k may later be used as the kind `used`. It returns true if one of
// the two is only known to be some object or resource.
func (k Kind) Fits(used Kind) bool {
	vague := func(k Kind) bool { return k == KindObject || k == KindResource }
	return k.Base() == used.Base() || vague(k) || vague(used)
}
