package wire

// A Role is the meaning of a value in a record. Code that reads records finds values by their role. Give a value a
// new role only if no existing role has its meaning.
type Role uint8

// The roles.
const (
	RoleNone         Role = iota
	RoleObject            // number of an object; 0 is not known
	RoleMade              // number of the object that the call returned, 0 when it returned nil
	RoleFrom              // number of the object that is copied from
	RoleTo                // number of the object that is copied to
	RoleMember            // number of one of several objects; 0 if there are fewer
	RoleName              // StringID of the name of the created or awaited object: a function, a path, a lock
	RoleSource            // StringID that identifies a source text
	RoleLabel             // StringID of a label of the created object
	RoleText              // StringID of another text
	RoleSize              // size of the object or the data
	RoleCount             // how many
	RoleFirst             // index of the first of several consecutive elements
	RoleGrid              // one of width, height and depth of a grid, in this order; 0 when only the GPU knows it
	RoleGroup             // one of width, height and depth of a threadgroup, in this order
	RoleCapacity          // maximum number of uncompleted command buffers; 0 is Metal's default
	RoleValue             // an event's value
	RoleTimeout           // longest time that the call waits
	RoleThread            // system's id of a thread
	RoleHolder            // system's id of the thread that held a lock, 0 when not known
	RoleSignaller         // system's id of the signalling thread, 0 when not known
	RoleAddress           // an address in memory
	RoleGave              // address of the object that the waiting thread last signalled
	RoleAgo               // time between the signal and the end of the wait
	RoleConstant          // a number that has a name in Metal
	RoleOptions           // MTLResourceOptions
	RoleDispatchType      // MTLDispatchType
	RoleSampling          // a Sampling
	RoleStatus            // MTLCommandBufferStatus in the lowest byte, the error code above it
	RoleGPUBegin          // when the GPU began the work
	RoleGPUEnd            // when the GPU ended the work
	RoleKernelBegin       // time at which the driver began to schedule
	RoleKernelLength      // how long the driver scheduled
	RoleStack             // a StackID
	RoleCall              // a Call
	RoleDepth             // number of enclosing scopes
	RoleBits              // bits, each with its own meaning
	RoleProcess           // system's id of a process
	RoleDescriptor        // a Descriptor
	RoleInode             // number of a file in its file system
	RoleFile              // number of a file descriptor
	RolePolls             // how often a thread asked for a status before the answer changed
	// two numbers about an encoder: the upper 32 bits count its dispatches; the lower 32 bits have the length of the
	// longest chain in which each dispatch may depend on the previous one. Both are 0 when not known
	RoleDependence
	RolePollGap // time between the last two questions of a thread that asked repeatedly
)

// IsText reports whether values of the role are StringIDs. The constants from RoleName to RoleText must stay
// adjacent.
func (r Role) IsText() bool { return r >= RoleName && r <= RoleText }

// IsObject reports whether values of the role are numbers of objects that existed before the call.
func (r Role) IsObject() bool {
	return r == RoleObject || r == RoleFrom || r == RoleTo || r == RoleMember
}

// A Unit is what a value counts, such as bytes or nanoseconds.
type Unit uint8

// The units.
const (
	UnitNone Unit = iota
	UnitBytes
	UnitNanos
	UnitMillis
	UnitTicks
	UnitThreads
	UnitThreadgroups
	UnitTexels
	UnitVertices
	UnitCommands
)

var unitNames = [...]string{UnitBytes: "bytes", UnitNanos: "ns", UnitMillis: "ms", UnitTicks: "ticks",
	UnitThreads: "threads", UnitThreadgroups: "threadgroups",
	UnitTexels:   "texels",
	UnitVertices: "vertices", UnitCommands: "commands"}

// String returns the unit as it is written after a number.
func (u Unit) String() string {
	if int(u) < len(unitNames) {
		return unitNames[u]
	}
	return "unknown"
}
