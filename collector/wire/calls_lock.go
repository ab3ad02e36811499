package wire

var (
	lockHolder = Field{Role: RoleHolder, name: "thread id of the holder when the wait began, 0 when not known"}
	signaller  = Field{Role: RoleSignaller,
		name: "thread id of the signalling thread, 0 when not known; the failed flag marks a timeout"}
	signalBits = Field{Role: RoleBits, name: "bit 0: " +
		"the thread that signalled the semaphore had acquired it, as the holder of a lock does; " +
		"bit 1: before its last commit, the signalling thread used an object that the waiting thread had used recently"}
	lockName     = Field{At: InX0, Role: RoleName, name: "its symbol or label, or else the name of the waiting function"}
	lockAddress  = Field{At: InX1, Role: RoleAddress}
	lockFields   = []Field{lockName, lockAddress}
	signalFields = []Field{lockName, lockAddress,
		{At: InX2, Role: RoleGave,
			name: "address of the object that the waiting thread last signalled after its previous wait"},
		{At: InX3, Role: RoleAgo, Unit: UnitTicks, name: "time from the signal to the end of the wait in"}}
	ended         = Field{Role: RoleProcess, name: "process id of the child that ended, 0 when not known"}
	processFields = []Field{{At: InX0, Role: RoleName,
		name: "the awaited program, or the command"}}
)

// lockCalls has the rows of Table for the functions that acquire a lock. A call is recorded only if it had to wait
// for the lock. Traces contain the numbers of the rows, so a number must never change.
var lockCalls = [...]Row{
	{332, "pthread_mutex_lock", FamilyLock, GroupLock, EffectBlocks, lock, lockHolder, lockFields},
	{333, "pthread_rwlock_rdlock", FamilyLock, GroupLock, EffectBlocks, lock, lockHolder, lockFields},
	{334, "pthread_rwlock_wrlock", FamilyLock, GroupLock, EffectBlocks, lock, lockHolder, lockFields},
	{335, "pthread_cond_wait", FamilyLock, GroupLock, EffectBlocks, lock, lockHolder, lockFields},
	{336, "pthread_cond_timedwait", FamilyLock, GroupLock, EffectBlocks, lock, lockHolder, lockFields},
	{337, "dispatch_sync", FamilyLock, GroupLock, EffectBlocks, lock, lockHolder, lockFields},
	{338, "dispatch_sync_f", FamilyLock, GroupLock, EffectBlocks, lock, lockHolder, lockFields},
	{339, "dispatch_barrier_sync", FamilyLock, GroupLock, EffectBlocks, lock, lockHolder, lockFields},
	{340, "dispatch_barrier_sync_f", FamilyLock, GroupLock, EffectBlocks, lock, lockHolder, lockFields},
	{341, "dispatch_semaphore_wait", FamilyLock, GroupLock, EffectBlocks, lock, lockHolder, lockFields},

	{406, "sem_wait", FamilyLock, GroupLock, EffectBlocks, lock, lockHolder, lockFields},
	{407, "sem_timedwait", FamilyLock, GroupLock, EffectBlocks, lock, lockHolder, lockFields},
	{408, "sem_clockwait", FamilyLock, GroupLock, EffectBlocks, lock, lockHolder, lockFields},

	{411, "dispatch_async_and_wait", FamilyLock, GroupLock, EffectBlocks, lock, lockHolder, lockFields},
	{412, "dispatch_async_and_wait_f", FamilyLock, GroupLock, EffectBlocks, lock, lockHolder, lockFields},
	{413, "dispatch_barrier_async_and_wait", FamilyLock, GroupLock, EffectBlocks, lock, lockHolder, lockFields},
	{414, "dispatch_barrier_async_and_wait_f", FamilyLock, GroupLock, EffectBlocks, lock, lockHolder, lockFields},
	{484, "os_unfair_lock_lock", FamilyLock, GroupLock, EffectBlocks, lock, lockHolder, lockFields},
}

// The bits of Record.Object in the record of a wait for another thread's signal; the field signalBits has their
// meaning.
const (
	SignalGivenBack ObjectID = 1 << 0
	SignalFetched   ObjectID = 1 << 1
)

// signalCalls has the rows of Table for the functions that wait for another thread's signal or for a child process. A
// call is recorded only if it had to wait. Traces contain the numbers of the rows, so a number must never change.
var signalCalls = [...]Row{
	{345, "pthread_cond_wait", FamilySignal, GroupSignal, EffectListens, signalBits, signaller, signalFields},
	{346, "pthread_cond_timedwait", FamilySignal, GroupSignal, EffectListens, signalBits, signaller, signalFields},
	{347, "pthread_cond_clockwait", FamilySignal, GroupSignal, EffectListens, signalBits, signaller, signalFields},
	{348, "pthread_cond_timedwait_relative_np", FamilySignal, GroupSignal, EffectListens, signalBits, signaller,
		signalFields},
	{349, "sem_wait", FamilySignal, GroupSignal, EffectListens, signalBits, signaller, signalFields},
	{350, "sem_timedwait", FamilySignal, GroupSignal, EffectListens, signalBits, signaller, signalFields},
	{351, "sem_clockwait", FamilySignal, GroupSignal, EffectListens, signalBits, signaller, signalFields},
	{352, "dispatch_semaphore_wait", FamilySignal, GroupSignal, EffectListens, signalBits, signaller, signalFields},
	{353, "dispatch_group_wait", FamilySignal, GroupSignal, EffectListens, signalBits, signaller, signalFields},

	{431, "waitpid", FamilySignal, GroupSignal, EffectAwaitsProcess, none, ended, processFields},
	{432, "wait4", FamilySignal, GroupSignal, EffectAwaitsProcess, none, ended, processFields},
	{433, "waitid", FamilySignal, GroupSignal, EffectAwaitsProcess, none, ended, processFields},
	{434, "wait", FamilySignal, GroupSignal, EffectAwaitsProcess, none, ended, processFields},
	{435, "system", FamilySignal, GroupSignal, EffectAwaitsProcess, none, ended, processFields},
}
