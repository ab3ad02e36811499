package policy

import "mtrace/analyze"

// Limits for insights about how a run changes over time, and about its use of memory. No verdict depends on these
// values.
const (
	// TrendParts is the number of parts, with equally many steps each, into which a run is divided to find steps that
	// become longer.
	TrendParts = 5
	// TrendSteps is the minimum number of steps in each part; in a smaller part, one outlier decides the mean.
	TrendSteps = 8
	// TrendDivisions is the maximum number of kinds of command buffers that are tried as the begin of a thread's steps, to
	// find steps that become longer. Most steps have few kinds, and each further try could find growth by chance.
	TrendDivisions = 3
	// TrendRatio is how many times longer steps must be in the last part than in the first. Smaller growth is normal:
	// two runs of one program differ by 5%, and a hot GPU is a fifth slower.
	TrendRatio = 1.3
	// TrendZ is the minimum rank correlation of the steps' durations with time, in standard deviations. By chance,
	// one thread in 30,000 exceeds 4.
	TrendZ = 4.0
	// TrendShare is the share of the whole growth that each part must add to the previous part. It rules out phases:
	// a phase with longer steps is a single jump.
	TrendShare = 0.03
	// TrendNamed is the smallest share of the growth for which an activity is named as contributing to it.
	TrendNamed = 0.1

	// HumpValues is the minimum number of a kernel's durations for telling whether they form two groups (fast and
	// slow).
	HumpValues = 40
	// HumpRatio is the minimum ratio between the median durations of a kernel's slow and fast executions (two groups).
	HumpRatio = 1.5
	// HumpSmallerShare is the minimum share of a kernel's durations in the smaller of the two groups; fewer are outliers.
	HumpSmallerShare = 0.1
	// HumpExplainedVariance is the share of the variance of the logarithms of durations that the difference of the two
	// groups must explain. A normal distribution cut in its middle has 0.64, a uniform one 0.75.
	HumpExplainedVariance = 0.88
	// A kernel's durations form two groups only if there is a gap between them. The gap is the middle part, the share
	// HumpGap, of the interval between the groups' medians. At most the share HumpGapShare of the durations may lie in it.
	HumpGap, HumpGapShare = 0.3, 0.05

	// ChurnCount is the minimum number of allocations in a loop for judging their sizes.
	ChurnCount = 20
	// NewSizes is the share of allocations with a size that no earlier round had. Above it, a cache that reuses
	// memory by size is useless.
	NewSizes = 0.8
	// NewSizesRounds is the minimum number of rounds with a new size; in fewer, the program may allocate only once.
	NewSizesRounds = 10
	// ChurnShare is the share of allocations that directly follow a release of the same size; from this share on, the
	// report advises to reuse memory.
	ChurnShare = 0.5
	// ChurnReuseTime is the longest time from a release to an allocation of the same size that could have reused the
	// memory. A longer step of the thread raises this limit to the step's length.
	ChurnReuseTime analyze.Nanos = 10_000_000
	// LateSizes is the minimum number of sizes that are released and allocated again some steps later, for the report to
	// say that a cache keyed by size is too small.
	LateSizes = 10
	// FewestUnreleased is how many objects that are never released count as growth, however small they are.
	FewestUnreleased = 100
	// UnfreedBufferShare is the share of a process's command buffers that must be alive at the same time for the report to
	// say that they are not freed.
	UnfreedBufferShare = 0.5
	// DefaultQueueDepth is how many uncompleted command buffers a Metal queue allows, unless the program sets
	// maxCommandBufferCount.
	DefaultQueueDepth = 64
	// ClearedTogether is how many releases in a row, without an allocation between them, count as clearing a cache.
	ClearedTogether = 3
)

// Limits for insights about residency (which memory the GPU can access) and the size of the working set.
const (
	// NearWorkingSet is the share of the device's recommended maximum of memory from which the report warns: other
	// programs and Metal itself need the remainder.
	NearWorkingSet = 0.9
	// ResidencyChanges is the number of residency changes per command buffer from which they count as part of the
	// loop.
	ResidencyChanges = 0.5
	// ResidencyShare is the share of the threads' time from which residency calls are reported although they are few.
	ResidencyShare = 0.05
	// A command buffer starts late if the time from its commit to its start on the GPU is LateStart times the usual
	// one, and at least LateStartAtLeast longer.
	LateStart                      = 3.0
	LateStartAtLeast analyze.Nanos = 200_000
	// LateStarts is the minimum number of command buffers that must start late after the same kind of event, such as an
	// idle GPU; they must also be at least the share InsightMajority of all that follow such an event. LateSpread is
	// the largest ratio of the upper to the lower quartile of their delays: a stalled machine also makes command
	// buffers late, but by random times.
	LateStarts = 5
	LateSpread = 2.0
	// LargeAllocation is the size in bytes from which the first use of memory by a command buffer takes noticeable
	// time, because the system wires the memory page by page.
	LargeAllocation = 16 << 20
)

// WorthMerging is the GPU time below which merging command buffers pays: undisturbed submission and notification take
// 50 to 200 µs of a thread's time.
const WorthMerging analyze.Nanos = 200_000

// Limits for reporting that a kernel waits on the GPU, while it runs, for work of another queue.
const (
	// KernelWaitLag is the longest time from the end of the awaited work to the end of the waiting kernel;
	// KernelWaitLagShare is the same limit as a share of the kernel's length. A kernel that polls memory sees the new
	// value within microseconds and then finishes its own work.
	KernelWaitLag analyze.Nanos = 50_000

	KernelWaitLagShare = 0.02
	// KernelWaitChance is the largest share of coinciding ends that chance may explain. Next to work that ends all
	// the time, every kernel ends soon after some of that work.
	KernelWaitChance = 0.3
	// KernelWaitSpread compares two variations. The begin of the awaited work, relative to the begin of the waiting
	// kernel, must vary this many times as much as the time between their ends. Only then does the late begin explain
	// the late end. Both variations are distances between quartiles.
	KernelWaitSpread = 4
)

// DisplayPause is the number of frames after which the display has shown everything if nextDrawable is not called: at
// its last return at most one frame was drawn and not shown, and one was to be drawn.
const DisplayPause = 3

// A thread looks for requests at intervals if it sleeps between for at most LongestPollingSleep, and nine of ten sleeps
// are at most PollingSleepSpread of the median shorter than the median. Programs that simulate work draw the lengths.
const (
	LongestPollingSleep analyze.Nanos = 2_500_000

	PollingSleepSpread = 0.1
)
