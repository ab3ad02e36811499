package policy

// Limits of `mtrace diff`, which compares runs.
const (
	// ChangeWithinRun is the smallest relative change that is reported if each side has one run, ChangeBetweenRuns if
	// sides have several. One run does not show how runs differ from each other, hence the larger limit. 10% was
	// chosen on 310 pairs of runs of the same program (fixtures/scenarios). In 390 other pairs, 5% would have
	// reported a change in 38, 10% in 14, 20% in 8: see docs/reading.md.
	ChangeWithinRun, ChangeBetweenRuns = 0.10, 0.01
	// MinorShare is the share of the time below which a call or kernel counts as minor and is not listed in the text:
	// twice as slow, it slows the program down by less than that share.
	MinorShare = 0.005
	// RepeatedRuns is how many runs, of both sides together, suffice to see how runs of the same program differ.
	RepeatedRuns = 3
	// ReasonMost and ReasonLeast limit which part of a time counts as the reason of its change: the part's change
	// must be between these multiples of the whole's change. Parts are means and the whole is a median over time, so
	// a larger change of a part happened in moments that the median ignores, for example one wake-up that was very
	// late.
	ReasonMost, ReasonLeast = 1.5, 1.0 / 3
	// ReasonNamed is the smallest share of a change that a call or kernel must account for to be named as its reason.
	ReasonNamed = 0.05
	// MostGroups and FewestGroups bound the number of groups of samples in a rank test: with fewer groups, no result
	// can be significant when many calls and kernels are tested. MostBins bounds the number of time bins that groups
	// are merged from.
	MostGroups, FewestGroups, MostBins = 64, 8, 256
	// Correlated is the one-sided 5% point of the lag-1 autocorrelation, in standard errors: above it, neighbouring
	// values are not independent, and a rank test would find differences by chance.
	Correlated = 1.645
	// RecordsAtOnce is how many records of a long trace are loaded into memory at a time.
	RecordsAtOnce = 3 << 17
)

// Limits of `mtrace sweep`, which fits scaling laws to the throughput over the number of threads.
const (
	// FewestFitPoints is how many different numbers of threads a fit needs: with fewer than four, three parameters fit
	// any data.
	FewestFitPoints = 4
	// PoorFit is the share of explained variance (R²) below which a scaling law counts as a poor fit. The throughputs
	// must also deviate from the law by OffCurve, because nearly constant throughputs have no variance to explain.
	// MostSerial is the largest accepted σ (serial share): 1, plus its error.
	PoorFit, OffCurve, MostSerial = 0.5, 0.05, 1.05
	// BootstrapRuns is how many runs for each number of threads make resampling of the runs more accurate than an
	// interval from the curvature of the fit.
	BootstrapRuns = 3
	// ParameterDraws and BootstrapDraws are how many random draws an interval is computed from. A bootstrap draw
	// costs a whole fit, so there are fewer.
	ParameterDraws, BootstrapDraws = 999, 299
	// SweepConfidence is the confidence level of a sweep's intervals.
	SweepConfidence = 0.95
	// WorthAThread is the smallest gain of throughput for which one more thread pays, as a share of a single thread's
	// throughput.
	WorthAThread = 0.5
	// NoisyRuns is the relative spread of runs with the same number of threads above which a table is marked as
	// uncertain.
	NoisyRuns = 0.2
)

// Limits of the warnings about an Instruments export.
const (
	// IdleScreenIntervals is how many GPU intervals per second an idle screen causes; so few show no work of a
	// program.
	IdleScreenIntervals = 10
	// InducedState is the smallest share of the time in an induced GPU performance state for which the report warns.
	// NobodysGPU is the smallest share of GPU time without a known process for which it warns.
	InducedState, NobodysGPU = 0.01, 0.01
	// TooFewOwn is the share of the GPU intervals below which the export may be about the wrong process. OthersGPU is
	// the share of the GPU's time used by other processes above which the report warns that they delayed the program.
	TooFewOwn, OthersGPU = 0.05, 0.1
	// Unlabelled is the share of intervals without a label above which the report advises to set labels.
	Unlabelled = 0.9
)
