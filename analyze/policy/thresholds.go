package policy

// notMeasured is the Measured text of thresholds whose value was not measured.
const notMeasured = "not measured separately: see its sensitivity"

// Thresholds that are shares of something, 0 to 1.
var (
	Majority = share("Majority", 0.5, "more than half of the time, of the cases or of the threads",
		"by definition")
	ExceptionShare = share("ExceptionShare", 0.1,
		"share that may be missing from \"nearly all\", because start-up, chance or losses explain it", notMeasured)
	DominantShare = share("DominantShare", 0.75,
		"minimum share of the threads (or of the time) that must show a pattern although some cannot: "+
			"for example, the last thread at a barrier does not wait, and a busy GPU hides lost time", notMeasured)
	LargeShare = share("LargeShare", 0.3,
		"share of the threads' time that is too large to be explained by a busy machine", notMeasured)

	WorthNaming = share("WorthNaming", 0.1,
		"minimum cost of a cause, together with the certain gain of its removal, for a verdict; "+
			"also the minimum share of a detail that is reported",
		"twice the difference between two runs of the same program: a smaller improvement could not be seen")
	ChanceShare     = share("ChanceShare", 0.05, "a share that chance may explain", notMeasured)
	NegligibleShare = share("NegligibleShare", 0.01,
		"largest share of a time or of cases that is ignored, as start-up and rare cases are", notMeasured)

	SaturatedIdleShare = share("SaturatedIdleShare", 0.07,
		"maximum idle share of a saturated GPU: the gaps between command buffers", notMeasured)
	ConcurrencyGrowth = share("ConcurrencyGrowth", 0.4,
		"minimum number of further command buffers that a device with spare capacity runs at once "+
			"for each further pending command buffer",
		"the growth was 0.5 and more with spare capacity, 0 on a full device, "+
			"and up to 0.2 on several devices counted as one")

	FalseDiscovery = share("FalseDiscovery", 0.05, "accepted rate of false discoveries among significant tests",
		"by definition (Benjamini and Hochberg)")
	InterferenceCorrelation = share("InterferenceCorrelation", 0.3,
		"minimum rank correlation between a call's duration and the number of concurrent calls for interference", notMeasured)
	QueuedServiceRatio = share("QueuedServiceRatio", 0.7,
		"minimum ratio of the service times of queued calls to those of calls alone, if calls are served one at a time",
		"the ratio was 0.79 to 0.94 behind one lock, 0.32 to 0.63 without a lock")

	ReplayErrorLimit = share("ReplayErrorLimit", 0.15,
		"maximum difference between the recorded run and its unchanged replay; above it nothing is predicted", notMeasured)
	RunToRunVariation = share("RunToRunVariation", 0.05,
		"usual difference between two runs of the same program: "+
			"no prediction is more precise, and a replay may always differ from the recording by as much", notMeasured)
)

// Numbers of things.
var (
	FewestOccurrences = count("FewestOccurrences", 10, "minimum number of occurrences of a pattern of the program",
		notMeasured)
	FewestSamples = count("FewestSamples", 20, "minimum number of values for a statistical test or a median",
		"the permutation tests have a power of 0.98 at 10 calls of each of two threads")
	FewestThreadOccurrences = count("FewestThreadOccurrences", 3,
		"minimum number of occurrences in one thread, if other threads show the same pattern",
		notMeasured)
	FewestCapacityWaits = count("FewestCapacityWaits", 50,
		"number of command buffers that must have waited for spare capacity of a device that was seldom full "+
			"for the device to count as limited: a program may fill a device once, at its start", notMeasured)
)

// Times.
var (
	LongestHandOff = nanos("LongestHandOff", 200_000,
		"maximum time to submit work, to receive a completion notification or to wake a thread if nothing delays it",
		"each takes 5 to 30 µs with a free processor; "+
			"submission and notification together take 150 to 200 µs on slow systems")
	SignalSlack = nanos("SignalSlack", 100_000,
		"maximum time from a command buffer's signal of an event to its end on the GPU", notMeasured)
	LongestWakeup = nanos("LongestWakeup", 50_000, "maximum duration of a quick completion handler; "+
		"also the maximum time between a thread's spurious wake-up and its next wait, "+
		"and between a thread's request and its wait for the answer",
		"threads wake in 5 to 30 µs with a free processor")
	LatencyMargin = nanos("LatencyMargin", 20_000,
		"minimum time beyond the usual latency after which work counts as having waited",
		notMeasured)
	ShortestWait = nanos("ShortestWait", 10_000,
		"minimum duration of a wait that counts: in shorter ones the awaited work was already complete", notMeasured)
	LongestAnswerDelay = nanos("LongestAnswerDelay", 1_000_000,
		"maximum time between a thread's request and its wait for the answer, if it does something else in between",
		notMeasured)
)

// Ratios.
var (
	SerialParallelism = ratio("SerialParallelism", 1.2,
		"maximum number of processors used by work, or speed-up gained by it, if it runs one at a time", notMeasured)
	OutlierRatio = ratio("OutlierRatio", 4,
		"multiple of the usual duration from which a duration has another reason than the work itself",
		"concurrent work or another GPU clock makes work take two to three times as long")
	WorthPredicting = ratio("WorthPredicting", 1.02, "minimum predicted speed-up that is reported", notMeasured)
	BurstSize       = ratio("BurstSize", 2,
		"minimum average number of command buffers in a burst (submitted one after the other) "+
			"for a prediction that merges each burst into one command buffer", "by definition")
	WidestPrediction = ratio("WidestPrediction", 4, "maximum ratio between the ends of a prediction's interval: "+
		"an estimate that may be off by more than a factor of two either way is no prediction",
		"by definition")
)
