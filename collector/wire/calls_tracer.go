package wire

// tracerCalls are the records that the tracer makes of its own accord.
var tracerCalls = [...]Row{
	{CallMore, "more", FamilyTracer, GroupNone, "", "", ""},
	{CallThreadStart, "thread start", FamilyTracer, GroupNone, "", "system thread id", "x0 StringID of its name"},
	{CallCompleted, "completed", FamilyTracer, GroupNone, "command buffer", "status | error code<<8", "x0 GPUStartTime ns, x1 GPUEndTime ns, x2 kernelStartTime ns, x3 kernelEndTime−kernelStartTime ns; begin and end are when the tracer's handler ran"},
	{CallScheduled, "scheduled", FamilyTracer, GroupNone, "command buffer", "", ""},

	{67, "made", FamilyTracer, GroupNone, "device, library or compiler that was asked", "new object, which came to a completion handler", ""},

	{342, "mark", FamilyTracer, GroupNone, "", "StringID of the name the program gave to the moment", ""},
	{343, "scope", FamilyTracer, GroupNone, "", "StringID of the name the program gave to the time from begin to end", "x0 how many scopes are around it"},
	{CallEncoderTimes, "encoder times", FamilyTracer, GroupNone, "encoder", "Sampling", "x0 start on the GPU ns, x1 end ns; both 0 when they were not measured"},

	{CallStack, "stack", FamilyTracer, GroupNone, "bit 0: the interpreter's lock was held, bit 1: it is known whether it was", "StackID of the call that begins at the end of this record, which is the time that it took to find it", ""},

	{CallCanary, "canary", FamilyTracer, GroupNone, "", "a call that the self-check made and that was seen", ""},
	{CallScopeBegins, "scope begins", FamilyTracer, GroupNone, "how many scopes are around it", "StringID of its name; a scope record follows when it ends", ""},

	{CallLayer, "layer", FamilyTracer, GroupNone, "0 a kernel of Metal Performance Shaders, 1 a graph", "StringID of the class whose call begins", ""},
	{CallAllocated, "allocated", FamilyTracer, GroupNone, "device", "currentAllocatedSize in bytes", ""},
}

// functionCalls are Metal's C functions.
var functionCalls = [...]Row{
	{5, "MTLCreateSystemDefaultDevice", FamilyFunction, GroupOther, "", "new device", ""},
	{6, "MTLCopyAllDevices", FamilyFunction, GroupOther, "", "devices", ""},

	{405, "MTLCopyAllDevicesWithObserver", FamilyFunction, GroupOther, "", "devices", ""},
}
