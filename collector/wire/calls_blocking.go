package wire

var (
	descriptorKind = Field{Role: RoleDescriptor, name: "Descriptor: what is at it"}
	otherEnd       = Field{Role: RoleProcess, name: "process id of the other end, 0 when not known"}
	inputFields    = []Field{{At: InX0, Role: RoleName, name: "path, or address and port"},
		{At: InX1, Role: RoleInode, name: "inode of a pipe"},
		{At: InX2, Role: RoleFile}}
	sleepFields = []Field{lockName}
)

// blockingCalls has the rows of Table for system functions in which a thread blocks for something else than a lock,
// another thread's signal or a child process: input, a timer, another thread's end. A call is recorded only if it
// took at least the minimum time in interpose/waits/blocking.h, because there are many short ones. Traces contain the
// numbers of the rows, so a number must never change.
var blockingCalls = [...]Row{
	{441, "read", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{442, "readv", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{443, "pread", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{444, "recv", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{445, "recvfrom", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{446, "recvmsg", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{447, "accept", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{448, "write", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{449, "writev", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{450, "send", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{451, "sendmsg", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{452, "poll", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{453, "ppoll", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{454, "select", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{455, "pselect", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{456, "epoll_wait", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{457, "epoll_pwait", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{458, "kevent", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{459, "fread", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{460, "fgets", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{461, "getdelim", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},

	{472, "pwrite", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{473, "sendto", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{474, "connect", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{475, "fsync", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{476, "fdatasync", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{477, "fcntl", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},
	{478, "kevent64", FamilySignal, GroupSignal, EffectAwaitsInput, descriptorKind, otherEnd, inputFields},

	{462, "nanosleep", FamilySignal, GroupSignal, EffectSleeps, none, none, sleepFields},
	{463, "clock_nanosleep", FamilySignal, GroupSignal, EffectSleeps, none, none, sleepFields},
	{464, "usleep", FamilySignal, GroupSignal, EffectSleeps, none, none, sleepFields},
	{465, "sleep", FamilySignal, GroupSignal, EffectSleeps, none, none, sleepFields},
	{466, "pthread_join", FamilySignal, GroupSignal, EffectJoins, none, none, sleepFields},

	// These functions wait for another thread's signal: the last thread that arrives at the barrier, or the thread
	// that wakes the futex.
	{467, "pthread_barrier_wait", FamilySignal, GroupSignal, EffectListens, signalBits, signaller, signalFields},
	{468, "futex", FamilySignal, GroupSignal, EffectListens, signalBits, signaller, signalFields},
	{479, "__ulock_wait", FamilySignal, GroupSignal, EffectListens, signalBits, signaller, signalFields},
	{480, "__ulock_wait2", FamilySignal, GroupSignal, EffectListens, signalBits, signaller, signalFields},
	{481, "os_sync_wait_on_address", FamilySignal, GroupSignal, EffectListens, signalBits, signaller, signalFields},
	{482, "os_sync_wait_on_address_with_timeout", FamilySignal, GroupSignal, EffectListens, signalBits, signaller,
		signalFields},
	{483, "os_sync_wait_on_address_with_deadline", FamilySignal, GroupSignal, EffectListens, signalBits, signaller,
		signalFields},
}
