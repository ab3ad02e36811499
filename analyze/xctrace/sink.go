package xctrace

import "mtrace/analyze"

// Sink has the functions that receive the rows of the tables that mtrace knows. If a function is nil, the table's
// rows are only checked and counted. A row is valid only during the call. Indexes in rows refer to Dictionary, which
// Read creates if it is nil.
type Sink struct {
	Dictionary *Dictionary

	// Accept, if not nil, is called before the first row of a table would be delivered. If it returns an error, the
	// table is not delivered, and Table.Refused has the error.
	Accept func(*Document, *Table) error

	Commands CommandSinks
	GPU      GPUSinks
	Memory   MemorySinks
	CPU      CPUSinks

	Other func(*Table) *OtherTable // returns where the rows of any other table go
}

// CommandSinks receives the rows about command buffers and encoders.
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

// GPUSinks receives the rows about the work of GPUs.
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

// MemorySinks receives the rows about GPU memory.
type MemorySinks struct {
	Size     func(*AllocatedSize)
	Resource func(*ResourceAllocation)
}

// CPUSinks receives the rows about threads outside of Metal, and about the recording's clock.
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

// nanos returns a cell's time or duration in ns; times count from the begin of the recording. Values that are missing
// or too large for a time become 0.
func (c cell) nanos() analyze.Nanos {
	if c.state != cellValue || c.word > maxTime {
		return 0
	}
	return analyze.Nanos(c.word)
}
