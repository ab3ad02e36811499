package policy

// none is the basis of a value that was not measured separately.
const none = "nothing of its own: see its sensitivity"

// Shares of something.
var (
	Most = share("Most", 0.5, "a majority of the time, of the cases, of the threads",
		"by definition")
	LeftOver      = share("LeftOver", 0.1, "what may be left of nearly all: start-up, chance or loss", none)
	DominantShare = share("DominantShare", 0.75,
		"what most take part in, or what takes most of the time, though not all: who comes "+
			"last at a meeting does not wait, and beside a GPU, or "+
			"threads, with so much to do little is lost", none)
	LargeShare = share("LargeShare", 0.3, "more of the threads' time than a machine takes that is merely busy", none)

	WorthNaming = share("WorthNaming", 0.1,
		"what a cause must cost, with what is certainly gained without it, to be the verdict, and a part of something to "+
			"be told",
		"twice what two runs of the same program differ by: what costs less cannot be seen to have gone")
	ChanceShare = share("ChanceShare", 0.05, "a part that may be chance", none)
	Negligible  = share("Negligible", 0.01, "what is left out: start-up, the odd case", none)

	SaturatedIdleShare = share("SaturatedIdleShare", 0.07,
		"how much a saturated GPU rests: what lies between two command buffers", none)
	Growth = share("Growth", 0.4,
		"by how much more runs on a device for each more that is ready, if it has room",
		"with room 0.5 and more; a full device 0, and several that are taken for one up to 0.2")

	FalseDiscovery = share("FalseDiscovery", 0.05, "the rate of false discoveries among the tests that are taken to speak",
		"by definition (Benjamini and Hochberg)")
	Correlation = share("Correlation", 0.3,
		"the least rank correlation of a call's duration with the calls beside it that is called interference", none)
	OneServer = share("OneServer", 0.7, "the least ratio of service times behind others to those alone that speaks "+
		"for one server",
		"one lock gives 0.79 to 0.94, none 0.32 to 0.63")

	ReplayErrorLimit = share("ReplayErrorLimit", 0.15,
		"how far the replay of the unchanged program may be from the run: beyond, nothing is "+
			"predicted", none)
	RunToRunVariation = share("RunToRunVariation", 0.05,
		"what two runs of the same program differ by: no prediction is told to be nearer, and "+
			"no replay need be", none)
)

// Numbers of things.
var (
	Pattern = count("Pattern", 10, "how often something must be seen before it is what the program does", none)
	Sample  = count("Sample", 20, "how many values a statistical test, or a usual value, needs",
		"the permutation tests have a power of 0.98 at 10 calls of each of two threads")
	Handful    = count("Handful", 3, "how many must be seen of one thread, where other threads do the same", none)
	ManyBehind = count("ManyBehind", 50, "how much work must have waited for room on a device that was seldom full for "+
		"the device to be limited: "+
		"when a program begins, before its cause slows it down, it fills one", none)
)

// Times.
var (
	Launch = nanos("Launch", 200_000, "longer than it takes to hand work over, to hear of its end, or to wake, where "+
		"nothing hinders that",
		"5 to 30 µs with a processor free; handing over and hearing back together 150 to 200 µs where that is slow")
	SignalSlack = nanos("SignalSlack", 100_000,
		"how long before its end on the GPU a command buffer may have signalled: the last of it is not work", none)
	Wakeup = nanos("Wakeup", 50_000, "how soon a thread that was woken for nothing waits again, and one that "+
		"asked waits for the answer; what a quick handler takes",
		"threads wake in 5 to 30 µs with a processor free")
	Margin = nanos("Margin", 20_000, "by how much work must outlast what is usual before it is said to have waited",
		none)
	ShortestWait = nanos("ShortestWait", 10_000, "the least wait that counts: shorter ones found their work done", none)
	AnswerDelay  = nanos("AnswerDelay", 1_000_000,
		"how soon after it asked a thread waits for the answer, if it does something else before", none)
)

// Ratios.
var (
	OneProcessor = ratio("OneProcessor", 1.2, "what one at a time may seem to use, or to gain", none)
	Outlier      = ratio("Outlier", 4, "how many times as long as usual something takes that had another reason than "+
		"its own work",
		"work beside others', or at another clock, takes two to three times as long")
	WorthPredicting = ratio("WorthPredicting", 1.02, "the least speed-up that is told", none)
	BurstSize       = ratio("BurstSize", 2,
		"how many command buffers threads submit together on average, for these to be what is merged", "by definition")
	Widest = ratio("Widest", 4, "how far apart the ends of an interval may be: what may be off by more than "+
		"twice either way is no prediction",
		"by definition")
)
