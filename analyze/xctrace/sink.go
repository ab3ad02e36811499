package xctrace

import "mtrace/analyze"

// Sink receives the rows of the tables that mtrace reads. If a function is nil, the table's rows are only checked and
// counted. The row is valid during the call. Indexes refer to Dictionary, which Read fills (and creates, if nil).
type Sink struct {
	Dictionary *Dictionary

	// Accept, if not nil, is called before the first row of a table that would be delivered. Its error rejects the
	// table and is stored in Table.Refused.
	Accept func(*Document, *Table) error

	Commands CommandSinks
	GPU      GPUSinks
	Memory   MemorySinks
	CPU      CPUSinks

	Other func(*Table) *OtherTable // returns where the rows of any other table go
}

// CommandSinks receive the rows about command buffers and encoders.
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

// GPUSinks receive the rows about the work of GPUs.
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

// MemorySinks receive the rows about memory of GPUs.
type MemorySinks struct {
	Size     func(*AllocatedSize)
	Resource func(*ResourceAllocation)
}

// CPUSinks receive the rows about threads outside of Metal, and about the recording's clock.
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

// nanos returns a time or duration of an export: nanoseconds since the recording began. A number that does not fit a
// signed one is not a time.
func (c cell) nanos() analyze.Nanos {
	if c.state != cellValue || c.word > maxTime {
		return 0
	}
	return analyze.Nanos(c.word)
}
