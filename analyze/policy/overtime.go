package policy

import "mtrace/analyze"

// Limits for insights about the course of a run and the use of memory. No verdict depends on these values.
const (
	// TrendParts is the number of parts, with equally many steps, into which a run is divided to detect growing steps.
	TrendParts = 5
	// TrendSteps is the minimum number of steps in each part: one outlier decides the mean of fewer.
	TrendSteps = 8
	// TrendRatio is the minimum growth of steps from the first part to the last. Two runs of one program differ by 5%,
	// and a GPU slows down by a fifth when it heats up.
	TrendRatio = 1.3
	// TrendZ is the minimum rank correlation of the steps' lengths with time, in standard deviations: by chance it
	// exceeds 4 once in 30,000 threads.
	TrendZ = 4.0
	// TrendShare is the minimum share of the growth between each part and the next. A phase that takes longer than the
	// previous one is a jump between two parts and adds nothing elsewhere.
	TrendShare = 0.03
	// TrendNamed is the minimum share of the growth of an activity that is named.
	TrendNamed = 0.1

	// HumpValues is the minimum number of durations for distinguishing two populations.
	HumpValues = 40
	// HumpRatio is the minimum ratio of the medians of two populations.
	HumpRatio = 1.5
	// HumpLeast is the minimum share of durations in the smaller population: fewer are outliers.
	HumpLeast = 0.1
	// HumpBetween is the share of the variance, of the durations' logarithms, that must be between the two populations.
	// It is 0.64 for a normal distribution that is cut in its middle and 0.75 for a uniform one.
	HumpBetween = 0.88
	// HumpGap is the part of the interval between the medians that must be nearly empty, and HumpGapShare the maximum
	// share of the durations in it.
	HumpGap, HumpGapShare = 0.3, 0.05

	// ChurnCount is the minimum number of allocations in the loop for a comparison of their sizes.
	ChurnCount = 20
	// NewSizes is the share of allocations with a size that no earlier round had, from which a cache that is keyed by
	// size is useless.
	NewSizes = 0.8
	// NewSizesRounds is the minimum number of rounds with a new size: in fewer, the program may allocate once.
	NewSizesRounds = 10
	// ChurnShare is the share of allocations with the size of memory that was released shortly before.
	ChurnShare = 0.5
	// ChurnSoon is the maximum time between a release and an allocation of the same size that counts as immediate, if
	// less than a step of the thread has passed.
	ChurnSoon analyze.Nanos = 10_000_000
	// LeastKept is how many unreleased objects count as growth, however small they are.
	LeastKept = 100
	// KeptBuffers is the share of a process's command buffers that must be alive at the same time for a remark that they
	// are not freed.
	KeptBuffers = 0.5
	// QueueRoom is how many uncompleted command buffers a queue has room for, unless the program asks for more: see
	// maxCommandBufferCount.
	QueueRoom = 64
	// ClearedTogether is how many consecutive releases, with no allocation between them, count as clearing a cache.
	ClearedTogether = 3
)

// Limits for insights about residency and the working set.
const (
	// NearWorkingSet is the share of the device's recommended maximum of memory from which a run is near it: other
	// programs, and Metal itself, need the rest.
	NearWorkingSet = 0.9
	// ResidencyChanges is how often residency is changed per command buffer, from which the changes count as part of
	// the loop.
	ResidencyChanges = 0.5
	// ResidencyShare is the share of the threads' time that residency calls must take to be reported if they are few.
	ResidencyShare = 0.05
	// LateStart is how many times longer than usual a delayed command buffer takes from its commit to its start on the
	// GPU; LateStartAtLeast is its minimum additional delay.
	LateStart                      = 3.0
	LateStartAtLeast analyze.Nanos = 200_000
	// LateStarts is the minimum number of such command buffers; at least Half of those that follow the same event must
	// be late. A stalled machine also causes a pause and a late start, but of random length: LateSpread bounds the
	// ratio of the upper quartile of the delays to the lower one.
	LateStarts = 5
	LateSpread = 2.0
	// LargeAllocation is the size in bytes from which the first use of memory by a command buffer has a cost of its
	// own: the system wires it page by page.
	LargeAllocation = 16 << 20
)

// WorthMerging is the GPU time below which command buffers are so small that several could be merged: submission and
// notification take 50 to 200 µs of a thread's time when nothing interferes.
const WorthMerging analyze.Nanos = 200_000

// Limits for reporting that a kernel waits, while it runs, for work of another queue.
const (
	// KernelWaitLag is the maximum time between the end of the other work and the end of the kernel, KernelWaitLagShare
	// the same relative to its length: a kernel that polls memory sees the value within microseconds, and then does the
	// rest of its work.
	KernelWaitLag analyze.Nanos = 50_000

	KernelWaitLagShare = 0.02
	// KernelWaitChance is the maximum share of them that may end so by chance: next to work that ends constantly,
	// everything ends soon after something.
	KernelWaitChance = 0.3
)
