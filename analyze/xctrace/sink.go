package xctrace

import "mtrace/analyze"

// Sink takes the rows of the tables mtrace reads. A function left nil means
// the table's rows are checked and counted only. The row is valid during the
// call. Indexes are into Dictionary, which Read fills (and makes, if nil).
type Sink struct {
	Dictionary *Dictionary

	// Accept, if not nil, is asked before the first row of a table that would
	// be delivered; an error refuses it and becomes Table.Refused.
	Accept func(*Document, *Table) error

	Commands CommandSinks
	GPU      GPUSinks
	Memory   MemorySinks
	CPU      CPUSinks

	Other func(*Table) *OtherTable // where the rows of a table go that is none of these
}

// CommandSinks take the rows about command buffers and encoders.
type CommandSinks struct {
	Submission  func(*Submission)
	Completion  func(*Completion)
	Error       func(*CommandBufferError)
	Encoder     func(*EncoderInterval)
	Application func(*ApplicationInterval)
	Event       func(*ApplicationEvent)
	Driver      func(*DriverInterval)
	ObjectLabel func(*ObjectLabel)
	Compiler    func(*CompilerActivity)
}

// GPUSinks take the rows about what GPUs ran.
type GPUSinks struct {
	Interval        func(*GPUInterval)
	State           func(*GPUState)
	Performance     func(*PerformanceState)
	Shader          func(*ShaderInterval)
	ExecutionPoint  func(*ExecutionPoint)
	SubmissionMap   func(*SubmissionMap)
	CounterInfo     func(*CounterInfo)
	CounterValue    func(*CounterValue)
	CounterInterval func(*CounterInterval)
	Info            func(*GPUInfo)
}

// MemorySinks take the rows about memory of GPUs.
type MemorySinks struct {
	Size     func(*AllocatedSize)
	Resource func(*ResourceAllocation)
}

// CPUSinks take the rows about threads outside of Metal, and about the recording's clock.
type CPUSinks struct {
	Signpost func(*SignpostInterval)
	Mark     func(*SignpostEvent)
	Sample   func(*CPUSample)
	TimeInfo func(*TimeInfo)
}

func (s *Sink) dictionary() *Dictionary {
	if s.Dictionary == nil {
		s.Dictionary = NewDictionary()
	}
	return s.Dictionary
}

// nanos is a time or duration of an export: nanoseconds since the recording
// began. What is larger than a signed number holds is no time.
func (c cell) nanos() analyze.Nanos {
	if c.state != cellValue || c.word > maxTime {
		return 0
	}
	return analyze.Nanos(c.word)
}
