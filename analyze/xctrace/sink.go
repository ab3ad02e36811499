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

	GPUInterval       func(*GPUInterval)
	Submission        func(*Submission)
	Completion        func(*Completion)
	CommandBufferFail func(*CommandBufferError)
	Encoder           func(*EncoderInterval)
	Application       func(*ApplicationInterval)
	ApplicationEvent  func(*ApplicationEvent)
	Driver            func(*DriverInterval)
	GPUState          func(*GPUState)
	PerformanceState  func(*PerformanceState)
	Shader            func(*ShaderInterval)
	ExecutionPoint    func(*ExecutionPoint)
	SubmissionMap     func(*SubmissionMap)
	ObjectLabel       func(*ObjectLabel)
	Compiler          func(*CompilerActivity)
	AllocatedSize     func(*AllocatedSize)
	Resource          func(*ResourceAllocation)
	CounterInfo       func(*CounterInfo)
	CounterValue      func(*CounterValue)
	CounterInterval   func(*CounterInterval)
	Signpost          func(*SignpostInterval)
	SignpostEvent     func(*SignpostEvent)
	CPUSample         func(*CPUSample)
	TimeInfo          func(*TimeInfo)
	GPUInfo           func(*GPUInfo)

	Other func(*Table) *OtherTable // where the rows of a table go that is none of these
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
