package policy

// Limits of `mtrace diff`, which compares runs.
const (
	// ChangeWithinRun is the smallest relative change that is reported if each side has one run; ChangeBetweenRuns
	// applies if sides have several. One run does not show how runs differ from each other, hence the larger limit.
	// In 390 pairs of runs of the same program, 5% would have reported a change in 38, 10% in 14 and 20% in 8 pairs;
	// 10% was chosen on 310 other pairs (fixtures/scenarios). See docs/reading.md.
	ChangeWithinRun, ChangeBetweenRuns = 0.10, 0.01
	// ChangeExcluded is the change that the interval of an item must exclude for the item to count as the same: the
	// smallest one that a single run can show. Otherwise the runs are too noisy to tell.
	ChangeExcluded = ChangeWithinRun
	// MinorShare is the share of the time below which a call or kernel is minor and not listed in the text. If such
	// an item becomes twice as slow, the program slows down by less than that share.
	MinorShare = 0.005
	// WidestInterval is the ratio of an interval's ends above which a change is shown as unknown instead.
	WidestInterval = 1000.0
	// RepeatedRuns is how many runs, counting both sides, suffice to measure the variation between runs of the same
	// program.
	RepeatedRuns = 3
	// ReasonMost and ReasonLeast limit which part of a time can be named as the reason of its change: the part's change
	// must be between ReasonLeast and ReasonMost times the change of the whole. A part that changed more than the whole
	// did so in a few outliers, for example in one very late wake-up. Outliers change the mean of the part, but not the
	// median of the whole.
	ReasonMost, ReasonLeast = 1.5, 1.0 / 3
	// ReasonNamed is the smallest share of a change that a call or kernel must account for to be named as its reason.
	ReasonNamed = 0.05
	// MostGroups and FewestGroups bound the number of groups of samples that a rank test compares. With fewer groups, no
	// result can be significant when many calls and kernels are tested. MostBins bounds the number of time bins in
	// which samples are summed up before bins are merged into groups; it limits the memory.
	MostGroups, FewestGroups, MostBins = 64, 8, 256
	// AutocorrelationLimit is the one-sided 5% limit of the lag-1 autocorrelation, in standard errors. Above it,
	// neighbouring values are not independent, and a rank test would find differences by chance.
	AutocorrelationLimit = 1.645
	// RecordsAtOnce is how many records of a long trace are loaded into memory at a time.
	RecordsAtOnce = 3 << 17
)

// Limits of `mtrace sweep`, which fits scaling laws to the throughput over the number of threads.
const (
	// FewestFitPoints is how many different numbers of threads a fit needs: with fewer than four, three parameters fit
	// any data.
	FewestFitPoints = 4
	// PoorFit is the share of explained variance (R²) below which a scaling law counts as a poor fit. A poor fit must
	// also deviate from the throughputs by OffCurve, because R² means nothing for nearly constant throughputs.
	// MostSerial is the largest accepted σ (serial share). No program exceeds 1; the rest allows for errors of the fit.
	PoorFit, OffCurve, MostSerial = 0.5, 0.05, 1.05
	// BootstrapRuns is how many runs for each number of threads a sweep needs for a bootstrap. With that many,
	// resampling the runs is more accurate than an interval from the curvature of the fit.
	BootstrapRuns = 3
	// ParameterDraws and BootstrapDraws are how many random draws an interval is computed from. A bootstrap draw
	// costs a whole fit, so there are fewer.
	ParameterDraws, BootstrapDraws = 999, 299
	// SweepConfidence is the confidence level of a sweep's intervals.
	SweepConfidence = 0.95
	// WorthAThread is the smallest gain of throughput for which one more thread pays, as a share of a single thread's
	// throughput.
	WorthAThread = 0.5
	// NoisyRuns is the relative spread of runs with the same number of threads above which the table is marked as
	// uncertain.
	NoisyRuns = 0.2
)

// Limits of the warnings about an Instruments export.
const (
	// IdleScreenIntervals is how many GPU intervals per second an idle screen causes. An export with no more than these
	// shows no work of a program, so the report warns.
	IdleScreenIntervals = 10
	// InducedState is the share of the time in an induced GPU performance state above which the report warns.
	// UnattributedGPUShare is the share of GPU time without a known process above which it warns.
	InducedState, UnattributedGPUShare = 0.01, 0.01
	// TargetIntervalShare: if fewer than this share of the GPU intervals belong to the process, the export may be about
	// the wrong process. OtherProcessesGPUShare: if other processes used more than this share of the GPU's time, the
	// report warns that they delayed the program.
	TargetIntervalShare, OtherProcessesGPUShare = 0.05, 0.1
	// Unlabelled is the share of intervals without a label above which the report advises to set labels.
	Unlabelled = 0.9
)
