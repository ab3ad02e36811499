package xctrace

// tables defines which tables mtrace reads and what their columns mean. Columns are found by their mnemonic in the
// export's schema, because Apple inserts new ones in the middle, and their type is checked. Columns that are not
// listed here are skipped.
var tables = []tableSpec{
	&table[GPUInterval]{
		schema: "metal-gpu-intervals",
		to:     func(s *Sink) func(*GPUInterval) { return s.GPU.Interval },
		columns: []column[GPUInterval]{
			need("start", kindNumber, func(r *GPUInterval, c cell) { r.Start = c.nanos() }),
			need("duration", kindNumber, func(r *GPUInterval, c cell) { r.Duration = c.nanos() }),
			may("channel-name", kindText, func(r *GPUInterval, c cell) { r.Channel = c.text() }).
				without("compute work, graphics and copies cannot be distinguished"),
			may("process", kindProcess, func(r *GPUInterval, c cell) { r.Process = c.process() }).
				without("the process of a row is taken from its label or from the submission of its command buffer"),
			may("event-label", kindLabel, func(r *GPUInterval, c cell) {
				r.Label, r.LabelProcess = c.labelText(), c.labelProcess()
			}).orRenamed().without("the rows have no labels"),
			may("start-latency", kindNumber, func(r *GPUInterval, c cell) {
				r.StartLatency,
					r.HasLatency = c.nanos(), true
			}),
			may("gpu", kindText, func(r *GPUInterval, c cell) { r.GPU = c.text() }),
			may("cmdbuffer-id", kindNumber, func(r *GPUInterval, c cell) { r.CommandBuffer = BufferID(c.number()) }),
			may("encoder-id", kindNumber, func(r *GPUInterval, c cell) { r.Encoder = BufferID(c.number()) }),
			may("gpu-submission-id", kindNumber, func(r *GPUInterval,
				c cell) {
				r.Submission = SubmissionID(c.number())
			}),
		},
	},
	&table[Submission]{
		schema: "metal-application-command-buffer-submissions",
		to:     func(s *Sink) func(*Submission) { return s.Commands.Submission },
		columns: []column[Submission]{
			need("start", kindNumber, func(r *Submission, c cell) { r.Start = c.nanos() }),
			need("duration", kindNumber, func(r *Submission, c cell) { r.Duration = c.nanos() }),
			need("process", kindProcess, func(r *Submission, c cell) { r.Process = c.process() }),
			need("thread", kindThread, func(r *Submission, c cell) { r.Thread = c.thread() }),
			need("cmdbuffer-id", kindNumber, func(r *Submission, c cell) { r.CommandBuffer = BufferID(c.number()) }),
			may("encoder-time", kindNumber, func(r *Submission, c cell) { r.EncoderTime = c.nanos() }),
			may("num-encoders", kindNumber, func(r *Submission, c cell) { r.Encoders = c.number() }),
			may("event-label", kindLabel, func(r *Submission, c cell) { r.Label = c.labelText() }),
			may("gpu", kindText, func(r *Submission, c cell) { r.GPU = c.text() }),
			may("frame-number", kindNumber, func(r *Submission, c cell) { r.Frame = c.number() }),
		},
	},
	&table[Completion]{
		schema: "metal-command-buffer-completed",
		to:     func(s *Sink) func(*Completion) { return s.Commands.Completion },
		columns: []column[Completion]{
			need("timestamp", kindNumber, func(r *Completion, c cell) { r.Time = c.nanos() }),
			need("cmdbuffer-id", kindNumber, func(r *Completion, c cell) { r.CommandBuffer = BufferID(c.number()) }),
		},
	},
	&table[CommandBufferError]{
		schema: "metal-command-buffer-error",
		to:     func(s *Sink) func(*CommandBufferError) { return s.Commands.Error },
		columns: []column[CommandBufferError]{
			need("timestamp", kindNumber, func(r *CommandBufferError, c cell) { r.Time = c.nanos() }),
			need("cmdbuffer-id", kindNumber, func(r *CommandBufferError,
				c cell) {
				r.CommandBuffer = BufferID(c.number())
			}),
			need("error-code", kindNumber, func(r *CommandBufferError, c cell) { r.Code = c.number() }),
		},
	},
	&table[EncoderInterval]{
		schema: "metal-application-encoders-list",
		to:     func(s *Sink) func(*EncoderInterval) { return s.Commands.Encoder },
		columns: []column[EncoderInterval]{
			need("start", kindNumber, func(r *EncoderInterval, c cell) { r.Start = c.nanos() }),
			need("duration", kindNumber, func(r *EncoderInterval, c cell) { r.Duration = c.nanos() }),
			need("cmdbuffer-id", kindNumber, func(r *EncoderInterval,
				c cell) {
				r.CommandBuffer = BufferID(c.number())
			}),
			need("encoder-id", kindNumber, func(r *EncoderInterval, c cell) { r.Encoder = BufferID(c.number()) }),
			may("thread", kindThread, func(r *EncoderInterval, c cell) { r.Thread = c.thread() }),
			may("process", kindProcess, func(r *EncoderInterval, c cell) { r.Process = c.process() }),
			may("cmdbuffer-label", kindText, func(r *EncoderInterval, c cell) { r.CommandBufferLabel = c.text() }),
			may("encoder-label", kindText, func(r *EncoderInterval, c cell) { r.Label = c.text() }),
		},
	},
	&table[ApplicationInterval]{
		schema: "metal-application-intervals",
		to:     func(s *Sink) func(*ApplicationInterval) { return s.Commands.Application },
		columns: []column[ApplicationInterval]{
			need("start", kindNumber, func(r *ApplicationInterval, c cell) { r.Start = c.nanos() }),
			need("duration", kindNumber, func(r *ApplicationInterval, c cell) { r.Duration = c.nanos() }),
			need("cmdbuffer-id", kindNumber, func(r *ApplicationInterval,
				c cell) {
				r.CommandBuffer = BufferID(c.number())
			}),
			need("encoder-id", kindNumber, func(r *ApplicationInterval, c cell) { r.Encoder = BufferID(c.number()) }),
			may("process", kindProcess, func(r *ApplicationInterval, c cell) { r.Process = c.process() }),
			may("thread", kindThread, func(r *ApplicationInterval, c cell) { r.Thread = c.thread() }),
			may("event-depth", kindNumber, func(r *ApplicationInterval, c cell) { r.Depth = c.number() }),
			may("event-label", kindLabel, func(r *ApplicationInterval, c cell) { r.Label = c.labelText() }),
		},
	},
	&table[ApplicationEvent]{
		schema: "metal-application-event-interval",
		to:     func(s *Sink) func(*ApplicationEvent) { return s.Commands.Event },
		columns: []column[ApplicationEvent]{
			need("start", kindNumber, func(r *ApplicationEvent, c cell) { r.Start = c.nanos() }),
			need("duration", kindNumber, func(r *ApplicationEvent, c cell) { r.Duration = c.nanos() }),
			need("event-type", kindText, func(r *ApplicationEvent, c cell) { r.Type = c.text() }),
			may("event-label", kindLabel, func(r *ApplicationEvent, c cell) { r.Label = c.labelText() }),
			may("process", kindProcess, func(r *ApplicationEvent, c cell) { r.Process = c.process() }),
			may("thread", kindThread, func(r *ApplicationEvent, c cell) { r.Thread = c.thread() }),
		},
	},
	&table[DriverInterval]{
		schema: "metal-driver-intervals",
		to:     func(s *Sink) func(*DriverInterval) { return s.Commands.Driver },
		columns: []column[DriverInterval]{
			need("start", kindNumber, func(r *DriverInterval, c cell) { r.Start = c.nanos() }),
			need("duration", kindNumber, func(r *DriverInterval, c cell) { r.Duration = c.nanos() }),
			may("gpu-driver-name", kindText, func(r *DriverInterval, c cell) { r.Driver = c.text() }),
			may("event-type", kindText, func(r *DriverInterval, c cell) { r.Type = c.text() }),
			may("event-label", kindLabel, func(r *DriverInterval, c cell) { r.Label = c.labelText() }),
			may("process", kindProcess, func(r *DriverInterval, c cell) { r.Process = c.process() }),
			may("thread", kindThread, func(r *DriverInterval, c cell) { r.Thread = c.thread() }),
		},
	},
	&table[GPUState]{
		schema: "metal-gpu-state-intervals",
		to:     func(s *Sink) func(*GPUState) { return s.GPU.State },
		columns: []column[GPUState]{
			need("start", kindNumber, func(r *GPUState, c cell) { r.Start = c.nanos() }),
			need("duration", kindNumber, func(r *GPUState, c cell) { r.Duration = c.nanos() }),
			need("state", kindText, func(r *GPUState, c cell) { r.State = c.text() }),
		},
	},
	&table[PerformanceState]{
		schema: "gpu-performance-state-intervals",
		to:     func(s *Sink) func(*PerformanceState) { return s.GPU.Performance },
		columns: []column[PerformanceState]{
			need("start", kindNumber, func(r *PerformanceState, c cell) { r.Start = c.nanos() }),
			need("duration", kindNumber, func(r *PerformanceState, c cell) { r.Duration = c.nanos() }),
			need("gpu-performance-state", kindText, func(r *PerformanceState, c cell) { r.State = c.text() }),
			may("track-label", kindText, func(r *PerformanceState, c cell) { r.GPU = c.text() }),
			may("is-induced", kindNumber, func(r *PerformanceState, c cell) { r.Induced = c.number() == 1 }),
		},
	},
	&table[ShaderInterval]{
		schema: "metal-shader-profiler-intervals",
		to:     func(s *Sink) func(*ShaderInterval) { return s.GPU.Shader },
		columns: []column[ShaderInterval]{
			need("start", kindNumber, func(r *ShaderInterval, c cell) { r.Start = c.nanos() }),
			need("duration", kindNumber, func(r *ShaderInterval, c cell) { r.Duration = c.nanos() }),
			need("name", kindText, func(r *ShaderInterval, c cell) { r.Name = c.text() }),
			may("label", kindText, func(r *ShaderInterval, c cell) { r.Label = c.text() }),
			may("shader-type", kindText, func(r *ShaderInterval, c cell) { r.Type = c.text() }),
			may("percent-of-kick", kindDecimal, func(r *ShaderInterval, c cell) { r.Percent = c.decimal() }),
			may("process", kindProcess, func(r *ShaderInterval, c cell) { r.Process = c.process() }),
			may("channel-name", kindText, func(r *ShaderInterval, c cell) { r.Channel = c.text() }),
		},
	},
	&table[ExecutionPoint]{
		schema: "metal-gpu-execution-points",
		to:     func(s *Sink) func(*ExecutionPoint) { return s.GPU.ExecutionPoint },
		columns: []column[ExecutionPoint]{
			need("timestamp", kindNumber, func(r *ExecutionPoint, c cell) { r.Time = c.nanos() }),
			need("function", kindNumber, func(r *ExecutionPoint, c cell) { r.Function = c.number() }),
			need("gpu-submission-id", kindNumber, func(r *ExecutionPoint,
				c cell) {
				r.Submission = SubmissionID(c.number())
			}),
		},
	},
	&table[SubmissionMap]{
		schema: "metal-gpu-submission-to-command-buffer-id",
		to:     func(s *Sink) func(*SubmissionMap) { return s.GPU.SubmissionMap },
		columns: []column[SubmissionMap]{
			need("timestamp", kindNumber, func(r *SubmissionMap, c cell) { r.Time = c.nanos() }),
			need("cmdbuffer-id", kindNumber, func(r *SubmissionMap, c cell) { r.CommandBuffer = BufferID(c.number()) }),
			need("gpu-submission-id", kindNumber, func(r *SubmissionMap,
				c cell) {
				r.Submission = SubmissionID(c.number())
			}),
			may("encoder-id", kindNumber, func(r *SubmissionMap, c cell) { r.Encoder = BufferID(c.number()) }),
			may("process", kindProcess, func(r *SubmissionMap, c cell) { r.Process = c.process() }),
			// the first is Apple's spelling; a later version may correct it
			may("num-coalasced-encoders", kindNumber, func(r *SubmissionMap, c cell) { r.Coalesced = c.number() }),
			may("num-coalesced-encoders", kindNumber, func(r *SubmissionMap, c cell) { r.Coalesced = c.number() }),
		},
	},
	&table[ObjectLabel]{
		schema: "metal-object-label",
		to:     func(s *Sink) func(*ObjectLabel) { return s.Commands.ObjectLabel },
		columns: []column[ObjectLabel]{
			need("object-id", kindNumber, func(r *ObjectLabel, c cell) { r.Object = BufferID(c.number()) }),
			need("label", kindText, func(r *ObjectLabel, c cell) { r.Label = c.text() }),
			may("pid", kindNumber, func(r *ObjectLabel, c cell) { r.PID = c.number() }),
		},
	},
	&table[CompilerActivity]{
		schema: "graphics-compiler-activity-intervals",
		to:     func(s *Sink) func(*CompilerActivity) { return s.Commands.Compiler },
		columns: []column[CompilerActivity]{
			need("start", kindNumber, func(r *CompilerActivity, c cell) { r.Start = c.nanos() }),
			need("duration", kindNumber, func(r *CompilerActivity, c cell) { r.Duration = c.nanos() }),
			may("compiler", kindText, func(r *CompilerActivity, c cell) { r.Compiler = c.text() }),
			may("program-type", kindLabel, func(r *CompilerActivity, c cell) { r.Label = c.labelText() }),
			may("process", kindProcess, func(r *CompilerActivity, c cell) { r.Process = c.process() }),
		},
	},
	&table[AllocatedSize]{
		schema: "metal-current-allocated-size",
		to:     func(s *Sink) func(*AllocatedSize) { return s.Memory.Size },
		columns: []column[AllocatedSize]{
			need("start", kindNumber, func(r *AllocatedSize, c cell) { r.Start = c.nanos() }),
			need("duration", kindNumber, func(r *AllocatedSize, c cell) { r.Duration = c.nanos() }),
			need("current-allocated-size", kindNumber, func(r *AllocatedSize, c cell) { r.Bytes = c.number() }),
			may("process", kindProcess, func(r *AllocatedSize, c cell) { r.Process = c.process() }),
		},
	},
	&table[ResourceAllocation]{
		schema: "metal-resource-allocations",
		to:     func(s *Sink) func(*ResourceAllocation) { return s.Memory.Resource },
		columns: []column[ResourceAllocation]{
			need("timestamp", kindNumber, func(r *ResourceAllocation, c cell) { r.Time = c.nanos() }),
			need("resource-size", kindNumber, func(r *ResourceAllocation, c cell) { r.Bytes = c.number() }),
			may("process", kindProcess, func(r *ResourceAllocation, c cell) { r.Process = c.process() }),
			may("thread", kindThread, func(r *ResourceAllocation, c cell) { r.Thread = c.thread() }),
			may("label", kindText, func(r *ResourceAllocation, c cell) { r.Label = c.text() }),
			may("resource-type", kindText, func(r *ResourceAllocation, c cell) { r.Type = c.text() }),
			may("event-type", kindText, func(r *ResourceAllocation, c cell) { r.Event = c.text() }),
			may("backtrace", kindBacktrace, func(r *ResourceAllocation, c cell) { r.Stack = c.stack() }),
		},
	},
	&table[CounterInfo]{
		schema: "gpu-counter-info",
		to:     func(s *Sink) func(*CounterInfo) { return s.GPU.CounterInfo },
		columns: []column[CounterInfo]{
			need("counter-id", kindNumber, func(r *CounterInfo, c cell) { r.ID = c.number() }),
			need("name", kindText, func(r *CounterInfo, c cell) { r.Name = c.text() }),
			may("description", kindText, func(r *CounterInfo, c cell) { r.Description = c.text() }),
			may("max-value", kindNumber, func(r *CounterInfo, c cell) { r.Max = c.number() }),
		},
	},
	&table[CounterValue]{
		schema: "gpu-counter-value",
		to:     func(s *Sink) func(*CounterValue) { return s.GPU.CounterValue },
		columns: []column[CounterValue]{
			need("timestamp", kindNumber, func(r *CounterValue, c cell) { r.Time = c.nanos() }),
			need("counter-id", kindNumber, func(r *CounterValue, c cell) { r.Counter = c.number() }),
			need("value", kindDecimal, func(r *CounterValue, c cell) { r.Value = c.decimal() }),
		},
	},
	&table[CounterInterval]{
		schema: "metal-gpu-counter-intervals",
		to:     func(s *Sink) func(*CounterInterval) { return s.GPU.CounterInterval },
		columns: []column[CounterInterval]{
			need("start", kindNumber, func(r *CounterInterval, c cell) { r.Start = c.nanos() }),
			need("duration", kindNumber, func(r *CounterInterval, c cell) { r.Duration = c.nanos() }),
			need("name", kindText, func(r *CounterInterval, c cell) { r.Name = c.text() }),
			need("value", kindDecimal, func(r *CounterInterval, c cell) { r.Value, r.Known = c.decimal(), true }),
			may("percent-value", kindDecimal, func(r *CounterInterval, c cell) {
				if !r.Known {
					r.Value, r.Known = c.decimal(), true
				}
			}),
			may("counter-id", kindNumber, func(r *CounterInterval, c cell) { r.Counter = c.number() }),
		},
	},
	signpostIntervals("OSSignpostIntervals"),
	signpostIntervals("os-signpost-interval"),
	&table[SignpostEvent]{
		schema: "os-signpost",
		to:     func(s *Sink) func(*SignpostEvent) { return s.CPU.Mark },
		columns: []column[SignpostEvent]{
			need("time", kindNumber, func(r *SignpostEvent, c cell) { r.Time = c.nanos() }),
			need("name", kindText, func(r *SignpostEvent, c cell) { r.Name = c.text() }),
			may("event-type", kindText, func(r *SignpostEvent, c cell) { r.Type = c.text() }),
			may("identifier", kindText, func(r *SignpostEvent, c cell) { r.Identifier = c.text() }),
			may("category", kindText, func(r *SignpostEvent, c cell) { r.Category = c.text() }),
			may("subsystem", kindText, func(r *SignpostEvent, c cell) { r.Subsystem = c.text() }),
			may("message", kindText, func(r *SignpostEvent, c cell) { r.Message = c.text() }),
			may("process", kindProcess, func(r *SignpostEvent, c cell) { r.Process = c.process() }),
			may("thread", kindThread, func(r *SignpostEvent, c cell) { r.Thread = c.thread() }),
		},
	},
	cpuSamples("time-profile"),
	cpuSamples("time-sample"),
	cpuSamples("cpu-profile"),
	cpuSamples("counters-profile"),
	&table[TimeInfo]{
		schema: "time-info",
		to:     func(s *Sink) func(*TimeInfo) { return s.CPU.TimeInfo },
		columns: []column[TimeInfo]{
			need("mabs-epoch", kindNumber, func(r *TimeInfo, c cell) { r.Epoch = c.number() }),
		},
	},
	&table[GPUInfo]{
		schema:  "metal-gpu-info",
		to:      func(s *Sink) func(*GPUInfo) { return s.GPU.Info },
		columns: []column[GPUInfo]{need("gpu-name", kindText, func(r *GPUInfo, c cell) { r.Name = c.text() })},
	},
	&table[GPUInfo]{
		schema:  "device-gpu-info",
		to:      func(s *Sink) func(*GPUInfo) { return s.GPU.Info },
		columns: []column[GPUInfo]{need("device-name", kindText, func(r *GPUInfo, c cell) { r.Name = c.text() })},
	},
}

func signpostIntervals(schema string) *table[SignpostInterval] {
	return &table[SignpostInterval]{
		schema: schema,
		to:     func(s *Sink) func(*SignpostInterval) { return s.CPU.Signpost },
		columns: []column[SignpostInterval]{
			need("start", kindNumber, func(r *SignpostInterval, c cell) { r.Start = c.nanos() }),
			need("duration", kindNumber, func(r *SignpostInterval, c cell) { r.Duration = c.nanos() }),
			need("name", kindText, func(r *SignpostInterval, c cell) { r.Name = c.text() }),
			may("category", kindText, func(r *SignpostInterval, c cell) { r.Category = c.text() }),
			may("subsystem", kindText, func(r *SignpostInterval, c cell) { r.Subsystem = c.text() }),
			may("start-message", kindText, func(r *SignpostInterval, c cell) { r.Message = c.text() }),
			may("process", kindProcess, func(r *SignpostInterval, c cell) { r.Process = c.process() }),
			may("start-thread", kindThread, func(r *SignpostInterval, c cell) { r.Thread = c.thread() }),
		},
	}
}

func cpuSamples(schema string) *table[CPUSample] {
	return &table[CPUSample]{
		schema: schema,
		to:     func(s *Sink) func(*CPUSample) { return s.CPU.Sample },
		blank:  CPUSample{Schema: schema, Cycles: schema == "cpu-profile"},
		adjust: func(blank *CPUSample, columns []Column) {
			for _, c := range columns {
				blank.Cycles = blank.Cycles || c.Type == "cycle-weight"
			}
		},
		columns: []column[CPUSample]{
			need("time", kindNumber, func(r *CPUSample, c cell) { r.Time = c.nanos() }),
			need("thread", kindThread, func(r *CPUSample, c cell) { r.Thread = c.thread() }),
			may("process", kindProcess, func(r *CPUSample, c cell) { r.Process = c.process() }),
			may("thread-state", kindText, func(r *CPUSample, c cell) { r.State = c.text() }),
			may("sample-type", kindNumber, func(r *CPUSample, c cell) { r.Kind = c.number() }),
			may("weight", kindNumber, func(r *CPUSample, c cell) { r.Weight = c.number() }),
			may("cycle-weight", kindNumber, func(r *CPUSample, c cell) { r.Weight = c.number() }),
			may("stack", kindBacktrace, func(r *CPUSample, c cell) { r.Stack = c.stack() }),
			may("cp-user-callstack", kindSample, func(r *CPUSample, c cell) { r.Stack = c.stack() }),
		},
	}
}

// ReadSchemas lists the tables from which a summary is built, the most important first. If an export in this order is
// interrupted, it has at least the most important tables.
func ReadSchemas() []string {
	var names []string
	for _, t := range tables {
		if name := t.name(); !unread[name] {
			names = append(names, name)
		}
	}
	return names
}

// unread are tables that mtrace can read but does not use for its summary: they are too large, or another table has
// the same data. mtrace exports them only on request.
var unread = map[string]bool{
	"gpu-counter-value":           true, // same data as metal-gpu-counter-intervals
	"metal-gpu-execution-points":  true, // begin and end of metal-gpu-intervals
	"metal-application-intervals": true, // submissions and encoders in one
	"metal-object-label":          true, // labels are in the other tables
	"metal-gpu-state-intervals":   true, // the union of metal-gpu-intervals
	"time-sample":                 true, // time-profile without symbols
}
