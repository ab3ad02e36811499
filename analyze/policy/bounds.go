package policy

// Bounds of the amount of work that the analysis does, which keep its time and memory bounded.
const (
	Permutations             = 200       // random permutations in a statistical test
	MostIntervals            = 20_000    // intervals that a test of mutual exclusion compares
	MostComparedThreads      = 24        // number of threads that are compared pairwise: those with the most intervals
	MostCalls                = 4000      // calls in a test of interference, or command buffers in one of crowding
	MostJobs                 = 4000      // command buffers of a replay
	LeastJobs                = 1000      // command buffers of a replay that has more than MostReplayedSteps steps
	MostReplayedSteps        = 16_000    // steps of a replay: calls, waits and signals of threads
	MostPathSteps            = 1_000_000 // steps of the critical path
	MostSimultaneousHandOffs = 16        // hand-offs at one instant
	LongestWaitChain         = 8         // threads of a chain of waits
	MostInFlight             = 16        // command buffers in flight per thread that are considered if no call waits
	ReplayDraws              = 8         // replays of a program, with durations drawn from its own
	FirstReplayDraws         = 3         // sufficient if their gains are steady
	DrawBlocks               = 12        // parts of a run for the draws: consecutive events are similar
	CallsAfterAcquire        = 3         // calls after the acquisition of a lock that tell its places in the code apart
	MostNumberedBuffers      = 256       // command buffers on a device that are distinguished by number
)

// The largest numbers of things that a report lists.
const (
	MostGaps         = 20 // idle gaps of a GPU
	MostChains       = 20 // chains of threads that wait for each other
	MostNamed        = 3  // kernels or submitting threads in a sentence
	MostLocks        = 3  // locks for which threads wait
	MostHolders      = 4  // threads that held a lock
	MostSites        = 2  // places in the program for one cause
	MostGainsPerKind = 6  // items of one kind, such as kernels, for which a gain is tried; each costs a replay
	MostThreads      = 2  // the same for threads
	MostGains        = 6  // items with a predicted gain and its interval, besides merging; each costs ten replays
)

// To find where a run's behaviour changes for good (a new phase), the run is divided into equal ranges of time.
const (
	PhaseBins       = 64   // equal parts of the time in which threads work
	ShortestPhase   = 10   // minimum number of these parts in a phase: fewer are start-up or chance
	PhaseDifference = 0.25 // minimum share of the threads' time that two phases spend differently
)

// A thread wakes on a schedule, as a timer does, if it sleeps at least ScheduledSleeps times and its wake-ups are
// regular. The test divides two variances: of the wake-ups' deviations from the best regular schedule, and of the time
// between two wake-ups. The quotient must be at most ScheduleDrift. With a timer it is about 1/2, because delays do not
// add up. If each delay shifts all later wake-ups, it is about n/15 for n wake-ups, so at least 1.6.
//
// A thread wakes at random if it only sleeps, and the standard deviation of its sleeps' lengths is at least the share
// RandomSleeps of their mean. One in LongestSleeps sleeps, the longest ones, is left out as an outlier.
const (
	ScheduledSleeps = 24
	ScheduleDrift   = 0.8
	RandomSleeps    = 0.7
	LongestSleeps   = 50
)

// Limits of the statistical tests.
const (
	IntervalTail        = 0.025 // share of samples outside a 95% interval, at each end
	LongestPercentile   = 99    // longer durations are reduced to this percentile before a regression
	LeastDurationSpread = 3     // minimum ratio of slow to quick calls' durations if calls queue for one server
	MostServicesOfQuick = 2     // maximum duration of a quick call, in service times, if calls queue for one server
	CrowdingSteps       = 20    // number of slopes, from 0 to 1, that are tried for a device that shares its capacity
)

// SteadyGain is a relative difference. If the gains of the first FirstReplayDraws replays differ by no more, the other
// replays, up to ReplayDraws, are skipped. It is a quarter of an interval's smallest error. Skipping moves the ends of
// the interval by less than a fifth of that error, because the range of eight normal values is 1.7 times the range of
// three.
const SteadyGain = 0.0125

// ItemReplayDraws is how many replays with redrawn durations the interval of an item's gain uses; the interval of a
// cause uses all (ReplayDraws).
const ItemReplayDraws = 1
