package policy

import "mtrace/analyze"

// Limits from which insights are reported.
const (
	// SteadyCommandBuffers is how many command buffers a thread must have committed to have a steady state;
	// FewestRounds is how many rounds count as a loop.
	SteadyCommandBuffers, FewestRounds = 20, 8
	// NoInsightWarning is the share of the submitting threads' time below which an insight is no warning.
	NoInsightWarning = 0.001
	// WholeShareOfTime is the share of the threads' time from which an insight gives its cost as a share.
	WholeShareOfTime = 0.01
	// IndependentDispatches is how many times as many dispatches as the longest chain of dependent ones a serial encoder
	// must have to count as having independent ones; FewestIndependent is how many dispatches such encoders must have
	// together, and IndependentShare their share of all dispatches that are known.
	IndependentDispatches, FewestIndependent, IndependentShare = 2.0, 16, 0.1
	// WorthEncoding is the share of the threads' time that encoding must take for an insight about it.
	WorthEncoding = 0.1
	// LongIdle is the shortest gap after which a GPU counts as idle: GPUs clock down after some milliseconds. NoIdle is
	// the longest gap between command buffers that follow each other.
	LongIdle, NoIdle analyze.Nanos = 10_000_000, 1_000_000
	// SlowerAfterIdle is how many times longer work must take after an idle period.
	SlowerAfterIdle = 1.5
	// SmallCommandBuffer is the GPU time below which a command buffer is small.
	SmallCommandBuffer analyze.Nanos = 50_000
	// FullGPU is the busy share from which launching costs no usable GPU time.
	FullGPU = 0.9
	// WaitedEachTime is the share of its command buffers that a thread must wait for to count as waiting after each
	// commit.
	WaitedEachTime = 0.9
	// IdleGPU is the minimum idle share of a GPU for a report of its gaps, and IdleReason the share of the idle time
	// that a second reason needs to be named.
	IdleGPU, IdleReason = 0.2, 0.05
	// MostFirstIterations bounds the number of iterations that count as warm-up.
	MostFirstIterations = 100
	// FirstPart is the part of all iterations, one in so many, that may count as first ones; FirstOfIdle is the part of
	// MostFirstIterations that is ignored when work after a pause is compared.
	FirstPart, FirstOfIdle = 4, 10
	// SlowIteration is how many times the median a slow iteration takes, and SlowIterationSpread how many times the
	// distance from the median to the 95th percentile it exceeds the median.
	SlowIteration, SlowIterationSpread = 2.0, 3.0
	// Half is the share from which a sentence says "most".
	Half = 0.5
	// ShortestChain is the minimum number of threads of a reported chain of waits.
	ShortestChain = 3
	// AllocatingRounds is the share of the rounds with allocations from which allocations count as being in the loop,
	// and AllocatingFewest the minimum number of such rounds.
	AllocatingRounds, AllocatingFewest = 0.25, 3
	// LeastGrowth is the smallest reported growth of memory, in bytes; GrowthThird is the share of it that each third
	// of the run must contribute.
	LeastGrowth, GrowthThird = 1 << 20, 1.0 / 6
	// NamedSites bounds the lines of code that an insight names; WorthSite is the share of the total that a second one
	// needs to be named.
	NamedSites, WorthSite = 3, 0.05
	// RepeatedCompiles is how often one function must be compiled for a remark.
	RepeatedCompiles = 3
	// ShownNames is how many names or paths a line lists before it counts the rest.
	ShownNames = 3
)

// Limits of the comparison of kernels that could be fused, and of their shapes.
const (
	// FusionPairs is how many pairs of kernels must follow each other (fewer may be chance), and FusionShare the share
	// of the first's launches that the second must follow.
	FusionPairs, FusionShare = 10, 0.8
	// FusionShort is the longest kernel worth fusing: for longer ones the launch does not matter.
	FusionShort analyze.Nanos = 500_000
	// FusionGathers is the factor of decrease in threads from which the second kernel of a pair is assumed to need all
	// results of the first, as the second stage of a reduction does: then they cannot be fused.
	FusionGathers = 4
	// FusionSpreads is the factor of increase in threads from which the second kernel is assumed to need one result of
	// the first in all of its threads. A thread of a matrix product computes some tens of elements, and the next kernel
	// may have a thread for each element.
	FusionSpreads = 256
	// CopyBlock is the unit in which copied bytes are counted.
	CopyBlock = 4096
	// MostOperations bounds the number of operations: a program may give each command buffer a name of its own.
	MostOperations = 4096
)
