package analyze

// Options narrow what Load reads.
type Options struct {
	// the time range to load, counted from the trace's first call; To 0 means up to the end
	From, To Nanos
	PIDs     []int // the processes to look at; empty means all

	// SourceRoots are folders (--source-root): code in them is the program's own, and all other code is a library's.
	// If there are none, the file name decides; see findLibraries.
	SourceRoots []string

	// Adds makes totals of adjacent ranges sum up to the totals of the whole run. A call that crosses the border of two
	// ranges then counts only in the range in which it began. Records that were lost at an unknown time count in the
	// first range.
	Adds bool

	// RequestObjects are the addresses of semaphores and condition variables through which threads send requests to
	// other threads, as an earlier analysis of the run found them. Load only stores them in Range.RequestObjects.
	RequestObjects map[uint64]bool

	// Visit, if not nil, is called for every call in the range, on the goroutine that called Load. Calls of one
	// thread come in the order in which they ended; calls of different threads come in no particular order.
	Visit func(*VisitedCall)

	// Apart is for callers of EachSlice that need single events but no times per thread: Thread.Exclusive stays empty.
	// Loading is then faster, because less of the trace is read before and after each slice.
	Apart bool

	// ShortestWait, if not nil, is for callers of EachSlice that need only long waits for locks and signals. It returns
	// the duration of the shortest such wait of a thread that the caller needs. Waits for locks that begin while the
	// thread holds the GIL are in the trace anyway, because they show who held it.
	ShortestWait func(*Thread) Nanos

	slice *slicing // set only by EachSlice; otherwise nil
}

// GCPercent is the garbage collector setting (debug.SetGCPercent) for programs that mainly load large traces. With
// Go's default of 100, the collector would scan the whole model each time the heap has doubled, and find little to
// free, because a load creates almost no garbage.
const GCPercent = 400
