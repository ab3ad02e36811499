package policy

import "mtrace/analyze"

// Limits of the insights: from when on something that a run does is worth a line.
const (
	// SteadyCommandBuffers is how many command buffers a thread must have committed to have a steady state;
	// FewestRounds is how many rounds make a loop, in which something then happens again and again.
	SteadyCommandBuffers, FewestRounds = 20, 8
	// NoInsightWarning is the share of the submitting threads' time below which an insight is no warning.
	NoInsightWarning = 0.001
	// WholeShareOfTime is the share of the threads' time from which an insight says its cost as a share.
	WholeShareOfTime = 0.01
	// WorthEncoding is the share of the threads' time that encoding must take to be worth a look.
	WorthEncoding = 0.1
	// LongIdle is the shortest gap after which a GPU counts as idle: GPUs clock down after some milliseconds. NoIdle is
	// the longest gap between command buffers that follow each other.
	LongIdle, NoIdle analyze.Nanos = 10_000_000, 1_000_000
	// SlowerAfterIdle is how many times as long work must take after a rest.
	SlowerAfterIdle = 1.5
	// SmallCommandBuffer is the GPU time under which a command buffer is a small one.
	SmallCommandBuffer analyze.Nanos = 50_000
	// FullGPU is the busy share from which launching costs nothing that the GPU could have used.
	FullGPU = 0.9
	// WaitedEachTime is the share of its command buffers for which a thread must wait to be said to wait after each.
	WaitedEachTime = 0.9
	// IdleGPU is the share of the time in which a GPU must be idle for its gaps to be told, and IdleReason the share of
	// that which a reason must have to be named beside the first.
	IdleGPU, IdleReason = 0.2, 0.05
	// MostFirstIterations bounds the number of iterations that count as warm-up.
	MostFirstIterations = 100
	// FirstPart is the part of all iterations, one in so many, that may be first ones; FirstOfIdle the part of
	// MostFirstIterations that is left out where work after a pause is compared.
	FirstPart, FirstOfIdle = 4, 10
	// SlowIteration is how many times the median an iteration must take to be slow, and SlowIterationSpread how many times
	// the distance from the median to the 95th percentile it must be above the median.
	SlowIteration, SlowIterationSpread = 2.0, 3.0
	// Half is the share from which most of something is meant where a sentence says so.
	Half = 0.5
	// ShortestChain is the fewest threads that make a chain of waits worth a line.
	ShortestChain = 3
	// AllocatingRounds is the share of the rounds in which memory must be made for it to be made in each, and
	// AllocatingFewest the fewest rounds.
	AllocatingRounds, AllocatingFewest = 0.25, 3
	// LeastGrowth is the least growth of memory that is reported, in bytes; GrowthThird is the share of it that each
	// third of the run must contribute.
	LeastGrowth, GrowthThird = 1 << 20, 1.0 / 6
	// NamedSites bounds the lines of the program that are named for an insight; WorthSite is the share of what all have
	// that one needs to be named beside the first.
	NamedSites, WorthSite = 3, 0.05
	// RepeatedCompiles is how often one function must be compiled for a remark.
	RepeatedCompiles = 3
	// ShownNames is how many names or paths a line lists before it counts the rest.
	ShownNames = 3
)

// Limits of the comparison of kernels that could be fused, and of their shapes.
const (
	// FusionPairs is how many pairs of kernels must follow each other (fewer may be chance), and FusionShare the share of
	// the first's launches that the second must follow.
	FusionPairs, FusionShare = 10, 0.8
	// FusionShort is the longest kernel worth fusing: of longer ones the launch is no matter.
	FusionShort analyze.Nanos = 500_000
	// FusionGathers is from how many times fewer threads on the second kernel of a pair is taken to need all that the
	// first one makes, as the second stage of a reduction does: then no one kernel can do both.
	FusionGathers = 4
	// FusionSpreads is from how many times more threads on it is taken to need one result of the first in all of them.
	// Threads of a product of matrices make some tens of elements each, and what follows may have one for each element.
	FusionSpreads = 256
	// CopyBlock is the unit of what is copied, in bytes.
	CopyBlock = 4096
	// MostOperations bounds the sums of operations: a program may give each of its command buffers a name of its own.
	MostOperations = 4096
)
