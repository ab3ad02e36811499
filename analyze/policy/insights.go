package policy

import "mtrace/analyze"

// Limits from which insights are reported.
const (
	// SteadyCommandBuffers is how many command buffers a thread must have committed before its steady state is judged.
	// FewestRounds is how many rounds (from one commit to the next) count as a loop.
	SteadyCommandBuffers, FewestRounds = 20, 8
	// NoInsightWarning is a share of the submitting threads' time. An insight whose known cost is smaller is never a
	// warning, only a remark, whatever its rule decides.
	NoInsightWarning = 0.001
	// WholeShareOfTime is the smallest share of the threads' time that an insight must cost to be a warning, for the rules
	// that decide by the cost.
	WholeShareOfTime = 0.01
	// A serial encoder has independent dispatches if it has IndependentDispatches times as many dispatches as its
	// longest chain of dependent ones. It is worth reporting if such encoders have FewestIndependent dispatches
	// together, and IndependentShare of all dispatches whose dependencies are known.
	IndependentDispatches, FewestIndependent, IndependentShare = 2.0, 16, 0.1
	// WorthEncoding is the share of the threads' time above which encoding is reported.
	WorthEncoding = 0.1
	// While an encoder is open, the time between a thread's calls counts as encoding if its mean is at most
	// MostBetweenCalls: an interpreter needs up to some microseconds to prepare a call. In a longer time the program
	// does something else.
	MostBetweenCalls analyze.Nanos = 20_000
	// LongIdle is the shortest gap after which a GPU counts as idle, because GPUs clock down after some milliseconds.
	// LongestDirectGap is the longest gap between command buffers that count as following each other directly.
	LongIdle, LongestDirectGap analyze.Nanos = 10_000_000, 1_000_000
	// SlowerAfterIdle is how many times longer work must take after an idle period of the GPU, or after a pause of the
	// thread, to be reported.
	SlowerAfterIdle = 1.5
	// LongPause is the shortest wait of a thread that counts as a pause; a pause must also be PauseRatio times as
	// long as the thread's usual wait. SlowerAtLeast is the least additional processor time after a pause that is
	// reported: more than a thread needs to wake up with cold caches.
	LongPause, PauseRatio, SlowerAtLeast analyze.Nanos = 5_000_000, 4, 50_000
	// SmallCommandBuffer is the GPU time below which a command buffer counts as small.
	SmallCommandBuffer analyze.Nanos = 50_000
	// FullGPU is the busy share from which a GPU counts as busy all the time. Faster launches then gain nothing, because
	// they can only fill idle time.
	FullGPU = 0.9
	// WaitedEachTime is the share of its command buffers that a thread must wait for to count as waiting after every
	// commit.
	WaitedEachTime = 0.9
	// IdleGPU is the smallest idle share of a GPU for which its gaps are reported, and IdleReason the smallest share
	// of the idle time for which a second reason is named.
	IdleGPU, IdleReason = 0.2, 0.05
	// MostWarmUpIterations is the largest number of iterations at a thread's start that count as warm-up.
	MostWarmUpIterations = 100
	// At most 1/WarmUpDivisor of all iterations may count as warm-up. When work after a pause is compared with other
	// work, the first MostWarmUpIterations/IdleWarmUpDivisor are ignored.
	WarmUpDivisor, IdleWarmUpDivisor = 4, 10
	// An iteration is slow if it takes SlowIteration times the median, and exceeds the median by SlowIterationSpread
	// times the distance from the median to the 95th percentile.
	SlowIteration, SlowIterationSpread = 2.0, 3.0
	// InsightMajority is the share from which an insight says "most".
	InsightMajority = 0.5
	// NoticeableKernel is the share of GPU time below which the default report lists a kernel last. A kernel whose
	// exact time is not known keeps its place if it may have more than this share.
	NoticeableKernel = 0.01
	// ShortestChain is the minimum number of threads in a reported chain of threads that wait for each other.
	ShortestChain = 3
	// Allocations count as part of a loop if at least AllocatingRounds of its rounds, and at least AllocatingFewest
	// rounds, allocate.
	AllocatingRounds, AllocatingFewest = 0.25, 3
	// LeastGrowth is the smallest growth of memory, in bytes, that is reported. Each third of the run must contribute
	// the share GrowthThird of it; otherwise the growth is a single event and no leak.
	LeastGrowth, GrowthThird = 1 << 20, 1.0 / 6
	// WarnedGrowth is the growth of memory, in bytes, from which the insight is a warning: at this rate a run that lasts
	// a hundred times as long needs more memory than most machines have.
	WarnedGrowth = 64 << 20
	// NamedSites is how many lines of code an insight names at most, and WorthSite the smallest share of the total
	// for which a second line is named.
	NamedSites, WorthSite = 3, 0.05
	// RepeatedCompiles is how often one function must be compiled for the repetition to be reported.
	RepeatedCompiles = 3
	// ShownNames is how many names or paths a line lists; further ones are only counted.
	ShownNames  = 3
	ShownFrames = 3 // number of frames of a stack that a sentence names
)

// Limits for the advice to fuse kernels, and for sums over kernels and operations.
const (
	// FusionPairs is how often one kernel must directly follow another (fewer may be chance), and FusionShare the
	// share of the first kernel's launches after which the second must follow.
	FusionPairs, FusionShare = 10, 0.8
	// FusionShort is the GPU time of two kernels above which fusing them is not worth it, because the time of a
	// launch no longer matters.
	FusionShort analyze.Nanos = 500_000
	// FusionGathers: if the second kernel has this many times fewer threads than the first, it probably needs all of
	// the first's results in each thread, as the second stage of a reduction does. Such kernels cannot be fused.
	FusionGathers = 4
	// FusionSpreads: if the second kernel has this many times more threads than the first, it probably needs one
	// result of the first in all of its threads, and cannot be fused. Smaller factors are normal: a thread of a
	// matrix product computes some tens of elements, and the next kernel may have a thread for each element.
	FusionSpreads = 256
	// CopyBlock is the number of bytes that count as one unit of copying in the fit of kernels' costs.
	CopyBlock = 4096
	// MostOperations bounds the number of operations (labels of command buffers) that are counted separately, because
	// a program may give each command buffer a new label.
	MostOperations = 4096
)
