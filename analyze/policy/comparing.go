package policy

// Limits of the comparison of runs (diff).
const (
	// ChangeWithinRun and ChangeBetweenRuns are the smallest changes that are called one. One run says nothing of how runs
	// differ from each other, so it must show more: 10% was chosen on 310 pairs of runs of the same program
	// (fixtures/scenarios). In 390 pairs that it was not chosen on, 5% would call something that matters changed in 38,
	// 10% in 14, 20% in 8: see docs/reading.md.
	ChangeWithinRun, ChangeBetweenRuns = 0.10, 0.01
	// MinorShare is the part of the time under which a call or a kernel is minor: made twice as slow, it slows the program
	// by less than that.
	MinorShare = 0.005
	// RepeatedRuns is how many runs of both sides together show how runs differ from each other.
	RepeatedRuns = 3
	// ReasonMost is how many times more than the whole a part may have changed to be its reason. Parts are means, and the
	// whole is a median over time: a part that changed more did so in moments that the whole leaves out, as when a thread
	// is once not woken for long. One that changed less than ReasonLeast of it is no reason either.
	ReasonMost, ReasonLeast = 1.5, 1.0 / 3
	// MostGroups and FewestGroups bound the groups of a rank test: with fewer groups no result can be significant once
	// many things are tested. MostBins bounds the stretches of time that groups are merged from.
	MostGroups, FewestGroups, MostBins = 64, 8, 256
	// Correlated is the one-sided 5% point of a lag-1 autocorrelation, in standard errors.
	Correlated = 1.645
	// RecordsAtOnce is how many records of a long trace are looked at at once.
	RecordsAtOnce = 3 << 17
)

// Limits of the fits of throughput over threads (sweep).
const (
	// FewestFitPoints is how many different numbers of threads a fit needs: under four, three parameters follow any data.
	FewestFitPoints = 4
	// PoorFit is the share of the variance under which a law explains little, and OffCurve by how much throughputs must be
	// off it too: those that hardly vary leave nothing to explain. MostSerial is the share of serial work above which σ
	// is none, but for its error.
	PoorFit, OffCurve, MostSerial = 0.5, 0.05, 1.05
	// BootstrapRuns is how many runs at each number of threads say more when resampled than the curvature of the fit.
	BootstrapRuns = 3
	// ParameterDraws and BootstrapDraws are how many parameters are drawn for an interval; of a bootstrap each is a fit of
	// its own.
	ParameterDraws, BootstrapDraws = 999, 299
	// SweepConfidence is the confidence level of a sweep's intervals.
	SweepConfidence = 0.95
	// WorthAThread is the gain under which another thread no longer pays: less than half of what one thread brings alone.
	WorthAThread = 0.5
	// NoisyRuns is the spread of runs above which a table is marked as uncertain.
	NoisyRuns = 0.2
)

// Limits of the warnings about an Instruments export.
const (
	// IdleScreenIntervals is how many GPU intervals a second even an idle screen makes.
	IdleScreenIntervals = 10
	// InducedState and NobodysGPU are the least shares of the time for which an induced performance state, and GPU time
	// without a process, are reported.
	InducedState, NobodysGPU = 0.01, 0.01
	// TooFewOwn is the share of the GPU intervals under which it is asked whether the subject is the right process;
	// OthersGPU the share of the GPU's time of others from which they are said to delay it.
	TooFewOwn, OthersGPU = 0.05, 0.1
	// Unlabelled is the share of intervals without a label from which labels are advised.
	Unlabelled = 0.9
)
