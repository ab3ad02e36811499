package policy

import "mtrace/analyze"

// When an insight about the course of a run, or about memory and its use, is worth telling. No verdict depends on these
// values.
const (
	// TrendParts is into how many parts of equally many steps a run is cut to see whether its steps grow.
	TrendParts = 5
	// TrendSteps is the least number of steps in each of these parts: the mean of fewer is decided by one outlier.
	TrendSteps = 8
	// TrendRatio is by what factor steps must grow from the first part to the last. Two runs of one program differ by
	// 5%, and a GPU that warms up slows down by a fifth.
	TrendRatio = 1.3
	// TrendZ is how far the rank correlation of the steps' lengths with time must be from none, in standard deviations: by
	// chance it is beyond 4 once in 30,000 threads.
	TrendZ = 4.0
	// TrendShare is the least share of the whole growth that each part must add to the one before it. A phase that
	// takes longer than the phase before it is a jump between two parts and adds nothing in the others.
	TrendShare = 0.03
	// TrendNamed is the least share of the growth that something has that is named as growing.
	TrendNamed = 0.1

	// HumpValues is how many durations are needed to tell two humps from one.
	HumpValues = 40
	// HumpRatio is by what factor the middles of two humps must differ.
	HumpRatio = 1.5
	// HumpLeast is the least share of the durations in the smaller hump: fewer are outliers.
	HumpLeast = 0.1
	// HumpBetween is the share of the variance, of the durations' logarithms, that must lie between the two humps. It is
	// 0.64 for one normal distribution that is cut in its middle and 0.75 for a uniform one.
	HumpBetween = 0.88
	// HumpGap is how much of the way from one middle to the other must be nearly empty, and how few of the durations
	// may be there.
	HumpGap, HumpGapShare = 0.3, 0.05

	// ChurnCount is how many allocations in the loop there must be before their sizes are compared.
	ChurnCount = 20
	// NewSizes is the share of allocations with a size that no earlier one had, from which on a cache that is keyed by
	// size is useless.
	NewSizes = 0.8
	// ChurnShare is the share of allocations that have the size of memory that was released shortly before.
	ChurnShare = 0.5
	// ChurnSoon is how long after a release memory of the same size counts as made again at once, if less than a step
	// of the thread is over.
	ChurnSoon analyze.Nanos = 10_000_000
	// LeastKept is how many objects that are not released are growth, however small they are.
	LeastKept = 100
	// ClearedTogether is how many releases in a row, with no allocation between them, are a cache that is cleared.
	ClearedTogether = 3
)

// When an insight about residency and the working set is worth telling.
const (
	// NearWorkingSet is the share of the memory that a device recommends to use at most from which a run is near it:
	// other programs, and what Metal itself takes, are the rest.
	NearWorkingSet = 0.9
	// ResidencyChanges is how often residency is changed for each command buffer, from which it is a part of the loop.
	ResidencyChanges = 0.5
	// ResidencyShare is the share of the threads' time that residency calls must take to be told where they are few.
	ResidencyShare = 0.05
	// LateStart is how many times as long as usual a command buffer takes from its commit to its start on the GPU, that is
	// held up by something other than the GPU; LateStartAtLeast is the least time by which it is later.
	LateStart                      = 3.0
	LateStartAtLeast analyze.Nanos = 200_000
	// LateStarts is how many such command buffers there must be, and of those that come after the same thing at least
	// Half. A machine that stalls for a moment makes a pause and a late start as well, but of any length: LateSpread is
	// how many times as long as the lower quartile of the delays the upper one may be.
	LateStarts = 5
	LateSpread = 2.0
	// LargeAllocation is the size in bytes from which memory that a command buffer uses first has a cost of its own: the
	// system wires it page by page.
	LargeAllocation = 16 << 20
)

// WorthMerging is the GPU time under which a command buffer is so small that several could be one: to submit it and to
// be notified takes 50 to 200 µs of a thread where nothing hinders that.
const WorthMerging analyze.Nanos = 200_000

// When work on the GPU is said to wait, while it runs, for work of another queue.
const (
	// KernelWaitLag is how soon after the end of the other work it must end, KernelWaitLagShare the same as a share of
	// its length: a kernel that polls memory sees the value within microseconds, and then does the rest of its work.
	KernelWaitLag analyze.Nanos = 50_000

	KernelWaitLagShare = 0.02
	// KernelWaitChance is how many of them may end so by chance, as a share: beside work that ends all the time
	// everything ends soon after something.
	KernelWaitChance = 0.3
)
