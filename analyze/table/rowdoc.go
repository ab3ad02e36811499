package table

// longDocs has the descriptions of columns that are too long for the struct tag, by row struct and field. Other
// columns have theirs in the tag doc.
var longDocs = map[string]string{
	"threadRow.SignalWait": "the part of outside_ns in which the thread waited for another thread's signal, " +
		"usually for work",
	"threadRow.HandsOver": "another thread submits this thread's work, and this thread waits for that thread's signal",
	"threadRow.CPUKnown":  "the part of end_ns − begin_ns for which the thread's processor use is known",
	"threadRow.Runnable": "the part of cpu_known_ns in which the thread waited for a processor; " +
		"null where the system does not tell",
	"timeSplitColumns.Encode": "the thread's time in calls that encode, without calls nested in them; " +
		"this column and those after it, up to outside_ns, add up to end_ns − begin_ns",
	"callRow.Group": "purpose of the call: " +
		"acquire, encode, commit, wait, compile, allocate, lock, signal, other",
	"callRow.X0":                   "the first additional value of the call; docs/wire.md defines it for each call",
	"callRow.Unfinished":           "the call had not returned when the process ended; end_ns is the end of the trace",
	"commandBufferRow.KernelBegin": "kernelStartTime: the driver began to schedule the command buffer",
	"commandBufferRow.GPU": "how long the GPU worked on the command buffer in the requested time: " +
		"the union of its rows in gpu_work",
	"gpuWorkRow.Encoder": "number of the encoder; none when the row stands for all encoders of the command buffer",
	"gpuWorkRow.Channel": "the part of the GPU, by Instruments' name: Vertex, Fragment, Compute, Blit",
	"gpuWorkRow.GPU":     "the row's time within the requested time; the GPU was busy for the union of all rows",
	"encoderRow.GPUTiming": "source of gpu_ns: measured; " +
		"fitted (a part of the command buffer's time, by costs that the run identifies); " +
		"or not identified (the run shows only bounds)",
	"encoderRow.Unmeasured": "why the encoder's GPU time was not measured although that was requested",
	"encoderRow.Operation":  "the program's name for the encoder's work, if all its dispatches have the same name",
	"dispatchRow.OperationFrom": "source of the operation's name: debug group, encoder label, function, scope, " +
		"pipeline label, command buffer's debug group, command buffer label or Python line",
	"waitRow.CommandBuffer": "the command buffer that was waited for, or that signalled the event",
	"waitRow.Executing": "the part of the wait in which the GPU ran the awaited work; " +
		"this column and the following ones add up to duration_ns",
	"waitRow.QueuedOwn":   "the part of the wait in which the GPU ran the thread's other work",
	"waitRow.QueuedOther": "the part of the wait in which the GPU ran work of other threads",
	"waitRow.Foreign":     "all of the wait's time, if another thread committed the awaited work",
	"lockRow.Kept": "for CPython's GIL: the part of own_ns " +
		"in which the lock's holder waited for something else",
	"signalWaitRow.Gave":      "address of the object that the waiting thread last signalled since its previous wait",
	"signalWaitRow.GivenBack": "the thread that acquired the semaphore also released it, as with a lock",
	"compilationRow.Kind": "library, function, pipeline, archive, " +
		"or child processes (a wait for child processes that compiled)",
	"processorRow.Waited": "how long the thread had waited for a processor up to this instant; −1 if not known",
}
