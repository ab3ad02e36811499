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

	// RequestObjects is stored in Range.RequestObjects, for the analyses that need it; Load itself does not use it.
	RequestObjects map[uint64]bool

	// Visit, if not nil, is called for every call in the range, on the goroutine that called Load. Calls of one
	// thread come in the order in which they ended; calls of different threads come in no particular order.
	Visit func(*VisitedCall)

	// Apart is for callers of EachSlice that need single events but no times per thread. It makes loading faster,
	// because less time is read around each slice. Thread.Exclusive stays empty.
	Apart bool

	slice *slicing // nil, but for EachSlice
}

// GCPercent is the garbage collector setting (debug.SetGCPercent) for programs that mainly load large traces. With
// Go's default of 100, the collector would scan the whole model each time the heap has doubled, and find little to
// free, because a load creates almost no garbage.
const GCPercent = 400
