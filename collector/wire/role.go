package wire

// A Role states what a value is to those who read it. A value that means something new has a new role; one that is only
// new has not.
type Role uint8

// The roles.
const (
	RoleNone         Role = iota
	RoleObject            // number of an object; 0 is not known
	RoleMade              // number of the object that the call returned, 0 when it returned nil
	RoleFrom              // number of the object that is copied from
	RoleTo                // number of the object that is copied to
	RoleMember            // number of one of several objects; those that are not there are 0
	RoleName              // StringID of the name of what is made or waited for: a function, a path, a lock
	RoleSource            // StringID of what stands for a source
	RoleLabel             // StringID of a label that the made object has
	RoleText              // StringID of another text
	RoleSize              // how big it is
	RoleCount             // how many
	RoleFirst             // index of the first of them
	RoleGrid              // one of width, height and depth of a grid, in this order; 0 when only the GPU knows it
	RoleGroup             // one of width, height and depth of a threadgroup, in this order
	RoleCapacity          // most command buffers that may be uncompleted; 0 stands for the default
	RoleValue             // an event's value
	RoleTimeout           // longest time that it waits
	RoleThread            // system's id of a thread
	RoleHolder            // system's id of the thread that held a lock, 0 when not known
	RoleSignaller         // system's id of the thread that gave a signal, 0 when not known
	RoleAddress           // where in memory it is
	RoleGave              // address of what the thread itself had signalled last
	RoleAgo               // how long before the end the signal came
	RoleConstant          // a number that Metal has a name for
	RoleOptions           // MTLResourceOptions
	RoleDispatchType      // MTLDispatchType
	RoleSampling          // a Sampling
	RoleStatus            // MTLCommandBufferStatus in the lowest byte, code of the error above it
	RoleGPUBegin          // when the GPU began
	RoleGPUEnd            // when it ended
	RoleKernelBegin       // when the driver began to schedule
	RoleKernelLength      // for how long it did
	RoleStack             // a StackID
	RoleCall              // a Call
	RoleDepth             // how many of the like are around it
	RoleBits              // bits with a meaning each
	RoleProcess           // system's id of a process
	RoleDescriptor        // a Descriptor
	RoleInode             // number of a file in its file system
	RoleFile              // number of a file descriptor
)

// IsText says whether a value of the role is a StringID.
func (r Role) IsText() bool { return r >= RoleName && r <= RoleText }

// IsObject says whether a value of the role is the number of an object that was there before the call.
func (r Role) IsObject() bool {
	return r == RoleObject || r == RoleFrom || r == RoleTo || r == RoleMember
}

// A Unit states what a value counts.
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

// String is the unit as it is behind a number.
func (u Unit) String() string {
	if int(u) < len(unitNames) {
		return unitNames[u]
	}
	return "unknown"
}
