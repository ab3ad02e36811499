package wire

// Fields of records that calls in several families have in common, for the tables in calls_*.go.

func object(kind Kind) Field  { return Field{Role: RoleObject, Kind: kind} }
func made(kind Kind) Field    { return Field{Role: RoleMade, Kind: kind} }
func named(name string) Field { return Field{Role: RoleText, name: name} }

var (
	none Field

	theLabel    = Field{Role: RoleLabel}
	theText     = Field{Role: RoleText}
	howMany     = Field{Role: RoleCount}
	bytesOf     = Field{Role: RoleSize, Unit: UnitBytes}
	texels      = Field{Role: RoleCount, Unit: UnitTexels, name: "texels, 0 for the whole"}
	vertices    = Field{Role: RoleCount, Unit: UnitVertices}
	commands    = Field{Role: RoleCount, Unit: UnitCommands}
	threads     = Field{Role: RoleCount, Unit: UnitThreads}
	eventValue  = Field{Role: RoleValue}
	purgeable   = Field{Role: RoleConstant, name: "MTLPurgeableState"}
	scope       = Field{Role: RoleConstant, name: "MTLBarrierScope"}
	buffers     = Field{Role: RoleCount, Kind: KindCommandBuffer, name: "command buffers"}
	dependence  = Field{Role: RoleDependence, name: "dispatches << 32 | longest chain"}
	devicesMade = Field{Role: RoleCount, Kind: KindDevice, name: "devices"}
)

// The objects on which calls are made, or to which their arguments refer.
var (
	device          = object(KindDevice)
	queue           = object(KindQueue)
	commandBuffer   = object(KindCommandBuffer)
	encoder         = object(KindEncoder)
	library         = object(KindLibrary)
	dynamicLibrary  = object(KindDynamicLibrary)
	function        = object(KindFunction)
	pipelineState   = object(KindPipeline)
	archive         = object(KindArchive)
	resource        = object(KindResource)
	heap            = object(KindHeap)
	residencySet    = object(KindResidencySet)
	event           = object(KindEvent)
	fence           = object(KindFence)
	ioQueue         = object(KindIOQueue)
	ioCommandBuffer = object(KindIOCommandBuffer)
	allocator       = object(KindAllocator)
	compiler        = object(KindCompiler)
	task            = object(KindTask)
	lock            = object(KindLock)
	kernel          = object(KindKernel)
	graph           = object(KindGraph)
	indirectCommand = object(KindIndirectCommand)
	proxy           = object(KindProxy)
	layer           = object(KindLayer)
	drawable        = object(KindDrawable)
)

// Lists of fields in the More record (the second record of a call, with further arguments) that calls in several
// families have in common.
var (
	pipelineFields = []Field{{At: InX0, Role: RoleName, name: "the function's name"}, {At: InX1, Role: RoleLabel},
		{At: InX2, Role: RoleObject, Kind: KindFunction}}
	libraryFields = []Field{{At: InX0, Role: RoleSource, name: "the source's FNV-1a hash in hexadecimal"},
		sourceBytes}
	bufferFields    = []Field{sizeBytes, options, {At: InX2, Role: RoleAddress, name: "contents pointer"}}
	resourceFields  = []Field{sizeBytes, options}
	functionFields  = []Field{{At: InX0, Role: RoleName}}
	pathFields      = []Field{{At: InX0, Role: RoleName, name: "the path"}}
	dataFields      = []Field{sourceBytes}
	queueFields     = []Field{{At: InX0, Role: RoleCapacity}}
	eventFields     = []Field{{At: InX0, Role: RoleObject, Kind: KindEvent}}
	allocatorFields = []Field{{At: InX0, Role: RoleObject, Kind: KindAllocator}}

	sizeBytes   = Field{At: InX0, Role: RoleSize, Unit: UnitBytes}
	options     = Field{At: InX1, Role: RoleOptions}
	sourceBytes = Field{At: InX1, Role: RoleSize, Unit: UnitBytes, name: "source"}
)
