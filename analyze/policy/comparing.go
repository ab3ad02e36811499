package policy

// Limits of the comparison of runs (diff).
const (
	// ChangeWithinRun and ChangeBetweenRuns are the smallest reported changes. One run does not show how runs differ
	// from each other, so the limit for single runs is larger: 10% was chosen on 310 pairs of runs of the same program
	// (fixtures/scenarios). In 390 other pairs, 5% would have reported a relevant change in 38, 10% in 14, 20% in 8:
	// see docs/reading.md.
	ChangeWithinRun, ChangeBetweenRuns = 0.10, 0.01
	// MinorShare is the part of the time under which a call or a kernel is minor: made twice as slow, it slows the program
	// by less than that.
	MinorShare = 0.005
	// RepeatedRuns is how many runs of both sides together show how runs differ from each other.
	RepeatedRuns = 3
	// ReasonMost limits which part counts as the reason of a change: the part must not have changed by more than this
	// multiple of the whole. Parts are means, and the whole is a median over time: a part with a larger change had it
	// in moments that the median ignores, for example when a thread was once not woken for long. A part that changed
	// less than ReasonLeast of the whole is no reason either.
	ReasonMost, ReasonLeast = 1.5, 1.0 / 3
	// ReasonNamed is the smallest share of the whole change that a call or kernel must account for to be named.
	ReasonNamed = 0.05
	// MostGroups and FewestGroups bound the groups of a rank test: with fewer groups no result can be significant when
	// many keys are tested. MostBins bounds the intervals from which groups are merged.
	MostGroups, FewestGroups, MostBins = 64, 8, 256
	// Correlated is the one-sided 5% point of a lag-1 autocorrelation, in standard errors.
	Correlated = 1.645
	// RecordsAtOnce is how many records of a long trace are loaded at a time.
	RecordsAtOnce = 3 << 17
)

// Limits of the fits of throughput over threads (sweep).
const (
	// FewestFitPoints is how many different numbers of threads a fit needs: with fewer than four, three parameters fit
	// any data.
	FewestFitPoints = 4
	// PoorFit is the share of explained variance below which a law counts as a poor fit; the throughputs must then also
	// deviate from it by OffCurve, because nearly constant throughputs have no variance to explain. MostSerial is the
	// upper limit of σ, allowing for its error.
	PoorFit, OffCurve, MostSerial = 0.5, 0.05, 1.05
	// BootstrapRuns is the number of runs per number of threads from which resampling is more accurate than the
	// curvature of the fit.
	BootstrapRuns = 3
	// ParameterDraws and BootstrapDraws are the numbers of draws for an interval; each bootstrap draw is a fit.
	ParameterDraws, BootstrapDraws = 999, 299
	// SweepConfidence is the confidence level of a sweep's intervals.
	SweepConfidence = 0.95
	// WorthAThread is the gain below which another thread does not pay: less than half of the throughput of a single
	// thread.
	WorthAThread = 0.5
	// NoisyRuns is the spread of runs from which a table is marked as uncertain.
	NoisyRuns = 0.2
)

// Limits of the warnings about an Instruments export.
const (
	// IdleScreenIntervals is the number of GPU intervals per second of an idle screen.
	IdleScreenIntervals = 10
	// InducedState and NobodysGPU are the smallest shares of the time for which an induced performance state, and
	// GPU time without a process, are reported.
	InducedState, NobodysGPU = 0.01, 0.01
	// TooFewOwn is the share of the GPU intervals below which the export may be about the wrong process. OthersGPU is
	// the minimum share of the GPU's time used by other processes for which a delay by them is reported.
	TooFewOwn, OthersGPU = 0.05, 0.1
	// Unlabelled is the share of intervals without a label from which the report advises labels.
	Unlabelled = 0.9
)
