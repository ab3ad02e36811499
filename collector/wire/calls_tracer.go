package wire

// tracerCalls has the rows of Table for the kinds of records that the tracer writes by itself; no call of the program
// corresponds to them. Traces contain the numbers of the rows, so a number must never change.
var tracerCalls = [...]Row{
	{CallMore, "more", FamilyTracer, GroupNone, EffectContinues, none, none, nil},
	{CallThreadStart, "thread start", FamilyTracer, GroupNone, EffectStartsThread, none,
		Field{Role: RoleThread, name: "system thread id"},
		[]Field{{At: InX0, Role: RoleName, name: "its name"}}},
	{CallCompleted, "completed", FamilyTracer, GroupNone, EffectCompletes, commandBuffer, Field{Role: RoleStatus},
		completedFields},
	{CallScheduled, "scheduled", FamilyTracer, GroupNone, EffectSchedules, commandBuffer, none, nil},

	{67, "made", FamilyTracer, GroupNone, EffectHands,
		Field{Role: RoleObject, name: "device, library or compiler that created it"},
		Field{Role: RoleMade, Kind: KindObject, name: "passed to a completion handler"}, nil},

	{342, "mark", FamilyTracer, GroupNone, EffectMarks, none, named("the name that the program gave to the mark"), nil},
	{343, "scope", FamilyTracer, GroupNone, EffectScopes, none,
		named("the name that the program gave to the time from begin to end"),
		[]Field{{At: InX0, Role: RoleDepth, name: scopesAround}}},
	{CallEncoderTimes, "encoder times", FamilyTracer, GroupNone, EffectTimes, encoder, Field{Role: RoleSampling},
		encoderTimesFields},

	{CallStack, "stack", FamilyTracer, GroupNone, EffectSeesStack,
		Field{Role: RoleBits, name: "bit 0: the thread held the GIL, bit 1: bit 0 is known"},
		Field{Role: RoleStack, name: "StackID of the call that begins when this record ends; " +
			"the record's duration is the time it took to find it"}, nil},

	{CallCanary, "canary", FamilyTracer, GroupNone, EffectChecks, none,
		Field{Role: RoleCall, name: "a call that the self-check made and the tracer recorded"}, nil},
	{CallScopeBegins, "scope begins", FamilyTracer, GroupNone, EffectOpensScope,
		Field{Role: RoleDepth, name: scopesAround},
		named("the name of the scope; a scope record follows when the scope ends"), nil},

	{CallLayer, "layer", FamilyTracer, GroupNone, EffectEntersLayer,
		Field{Role: RoleConstant, name: "0 a kernel of Metal Performance Shaders, 1 a graph"},
		named("the class whose call begins"), nil},
	{421, "failed", FamilyTracer, GroupNone, EffectFails, commandBuffer,
		Field{Role: RoleText, name: "Metal's description of the error; the record follows the record completed"}, nil},
	{CallSignpost, "signpost", FamilyTracer, GroupNone, EffectSpans, none,
		named("the name of an interval of signposts that another thread began"),
		[]Field{{At: InX0, Role: RoleThread, name: "beginning thread"}}},
	{CallAllocated, "allocated", FamilyTracer, GroupNone, EffectMeters, device, Field{Role: RoleSize, Unit: UnitBytes,
		name: "currentAllocatedSize in"}, nil},
	{CallAlive, "alive", FamilyTracer, GroupNone, EffectCountsAlive, none,
		Field{Role: RoleCount, Kind: KindCommandBuffer, name: "command buffers that were created and not freed"},
		[]Field{{At: InX0, Role: RoleCount, Kind: KindEncoder, name: "encoders that were created and not freed"}}},
	{469, "pipe writer", FamilyTracer, GroupNone, EffectFeeds, none,
		Field{Role: RoleInode, name: "inode of a pipe that the process can write into"}, nil},
}

const scopesAround = "number of scopes that enclose this one"

// The fields of the second record (More) of the two records with GPU times: for a command buffer and for an
// encoder.
var (
	completedFields = []Field{{At: InX0, Role: RoleGPUBegin, Unit: UnitNanos, name: "GPUStartTime"},
		{At: InX1, Role: RoleGPUEnd, Unit: UnitNanos, name: "GPUEndTime"},
		{At: InX2, Role: RoleKernelBegin, Unit: UnitNanos, name: "kernelStartTime"}, {At: InX3, Role: RoleKernelLength,
			Unit: UnitNanos, name: "kernelEndTime−kernelStartTime"}}
	encoderTimesFields = []Field{{At: InX0, Role: RoleGPUBegin, Unit: UnitNanos,
		name: "start on the GPU, 0 when not measured,"},
		{At: InX1, Role: RoleGPUEnd, Unit: UnitNanos, name: "end"}}
)

// functionCalls has the rows of Table for C functions of Metal and of its shader compiler. Traces contain the numbers
// of the rows, so a number must never change.
var functionCalls = [...]Row{
	{5, "MTLCreateSystemDefaultDevice", FamilyFunction, GroupOther, EffectMakes, none, made(KindDevice), nil},
	{6, "MTLCopyAllDevices", FamilyFunction, GroupOther, EffectMakes, none, devicesMade, nil},

	{405, "MTLCopyAllDevicesWithObserver", FamilyFunction, GroupOther, EffectMakes, none, devicesMade, nil},

	// This function belongs to the private compiler service; programs call it to compile shaders without a device. It
	// passes its result to a block (closure) of the program, so the record cannot show whether the compilation
	// failed.
	{430, "MTLCodeGenServiceBuildRequest", FamilyFunction, GroupCompile, EffectBuildsLibrary, none, none,
		libraryFields},
}
