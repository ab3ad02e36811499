package policy

// Bounds of what the report contains.
const (
	Permutations  = 200       // of a test
	MostIntervals = 20_000    // that a test of exclusion compares
	MostLines     = 24        // threads that it compares, each with each: those with the most intervals
	MostCalls     = 4000      // that a test of interference looks at, or command buffers one of crowding
	MostJobs      = 4000      // command buffers of a replay
	MostSteps     = 1_000_000 // of the critical path
	MostHandOffs  = 16        // of it at one instant
	LongestChain  = 8         // threads of a chain of waits
	MostInFlight  = 16        // command buffers that a thread may keep in flight without a call that waits
	Readings      = 8         // of a program, with times drawn from its own
	FewReadings   = 3         // of these are enough if what they gain is steady
	Blocks        = 12        // parts of a run, of which these are drawn: what comes soon after one another is alike
	MostAtOnce    = 256       // command buffers on a device that are distinguished by number
)

// Bounds of what is reported.
const (
	MostGaps    = 20 // of a GPU's work
	MostChains  = 20
	MostNamed   = 3 // kernels, feeders
	MostLocks   = 3
	MostHolders = 4
	MostSites   = 2 // of a cause
	MostOfAKind = 6 // things that gains are given of, of each kind and in all; each costs ten replays
	MostThreads = 2
	MostGains   = 6
)

// Where a run changes is looked for in equal parts of it.
const (
	Stretches = 64   // equal parts of the time in which threads work
	LeastPart = 10   // of them in a part: what happens in less is start-up, or chance
	Moved     = 0.25 // share of the threads' time that two parts must spend differently
)

// Limits of the statistical tests.
const (
	IntervalTail        = 0.025 // share of the samples that an interval of 95% leaves out at each end
	LongestPercentile   = 99    // of durations: a regression cuts longer ones to this
	LeastDurationSpread = 3     // slow calls take at least so many times as long as quick ones if they queue for one server
	MostServicesOfQuick = 2     // service times that a quick call takes at most if calls queue for one server
	CrowdingSteps       = 20    // slopes from 0 to 1 that are tried for a device that shares itself
)

// SteadyGain is the largest difference between the gains of a few readings that may stand for all: a quarter of an
// interval's least error. The range of eight normal values is 1.7 times that of three, so the ends of an interval
// move by less than a fifth of that error.
const SteadyGain = 0.0125

// ReadAgain is the number of readings for the interval of a gain. The interval of a cause uses all readings.
const ReadAgain = 1
