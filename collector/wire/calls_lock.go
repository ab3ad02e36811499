package wire

const (
	lockHolder = "thread id of the holder when the wait began, 0 when not known"
	lockMore   = "x0 StringID of its symbol or label, or of the function that waited, x1 address"
	signaller  = "thread id of the one that signalled, 0 when not known; failed when none came"
	signalMore = "x0 StringID of its symbol or label, or of the function that waited, x1 address, x2 address of what the thread itself had signalled last, since its wait before, x3 ticks from the signal to the end"
	fetched    = "2 when who signalled had touched, after its answer to the one before and before its commit, an object that the waiting thread had touched of late"
	givenBack  = "1 when a semaphore was given back by the thread that had taken it, as a lock is; " + fetched
)

// lockCalls are the functions that wait for a lock of the program; only their waits are recorded.
var lockCalls = [...]Row{
	{332, "pthread_mutex_lock", FamilyLock, GroupLock, "lock", lockHolder, lockMore},
	{333, "pthread_rwlock_rdlock", FamilyLock, GroupLock, "lock", lockHolder, lockMore},
	{334, "pthread_rwlock_wrlock", FamilyLock, GroupLock, "lock", lockHolder, lockMore},
	{335, "pthread_cond_wait", FamilyLock, GroupLock, "lock", lockHolder, lockMore},
	{336, "pthread_cond_timedwait", FamilyLock, GroupLock, "lock", lockHolder, lockMore},
	{337, "dispatch_sync", FamilyLock, GroupLock, "lock", lockHolder, lockMore},
	{338, "dispatch_sync_f", FamilyLock, GroupLock, "lock", lockHolder, lockMore},
	{339, "dispatch_barrier_sync", FamilyLock, GroupLock, "lock", lockHolder, lockMore},
	{340, "dispatch_barrier_sync_f", FamilyLock, GroupLock, "lock", lockHolder, lockMore},
	{341, "dispatch_semaphore_wait", FamilyLock, GroupLock, "lock", lockHolder, lockMore},

	{406, "sem_wait", FamilyLock, GroupLock, "lock", lockHolder, lockMore},
	{407, "sem_timedwait", FamilyLock, GroupLock, "lock", lockHolder, lockMore},
	{408, "sem_clockwait", FamilyLock, GroupLock, "lock", lockHolder, lockMore},

	{411, "dispatch_async_and_wait", FamilyLock, GroupLock, "lock", lockHolder, lockMore},
	{412, "dispatch_async_and_wait_f", FamilyLock, GroupLock, "lock", lockHolder, lockMore},
	{413, "dispatch_barrier_async_and_wait", FamilyLock, GroupLock, "lock", lockHolder, lockMore},
	{414, "dispatch_barrier_async_and_wait_f", FamilyLock, GroupLock, "lock", lockHolder, lockMore},
}

// What the object of a wait for a signal says.
const (
	SignalGivenBack ObjectID = 1 << 0
	SignalFetched   ObjectID = 1 << 1
)

// signalCalls are the functions that wait for a signal of another thread; only their waits are recorded.
var signalCalls = [...]Row{
	{345, "pthread_cond_wait", FamilySignal, GroupSignal, fetched, signaller, signalMore},
	{346, "pthread_cond_timedwait", FamilySignal, GroupSignal, fetched, signaller, signalMore},
	{347, "pthread_cond_clockwait", FamilySignal, GroupSignal, fetched, signaller, signalMore},
	{348, "pthread_cond_timedwait_relative_np", FamilySignal, GroupSignal, fetched, signaller, signalMore},
	{349, "sem_wait", FamilySignal, GroupSignal, givenBack, signaller, signalMore},
	{350, "sem_timedwait", FamilySignal, GroupSignal, givenBack, signaller, signalMore},
	{351, "sem_clockwait", FamilySignal, GroupSignal, givenBack, signaller, signalMore},
	{352, "dispatch_semaphore_wait", FamilySignal, GroupSignal, givenBack, signaller, signalMore},
	{353, "dispatch_group_wait", FamilySignal, GroupSignal, fetched, signaller, signalMore},
}
