package policy

// The fit of kernels' costs over a run (analyze/kernels). None of these decides a verdict.
const (
	FitColumns    = 384   // costs that are fitted apart; sizes of dispatches beyond that share one
	FitSolved     = 128   // of them that are solved for: sizes are put together until there are no more
	FitSizeBits   = 4     // significant bits by which sizes of dispatches are distinguished: within 6%
	FitAlike      = 4096  // different command buffers whose usual time is kept
	FitBlocks     = 24    // consecutive parts of the run, whose residuals an interval is built from
	FitFolds      = 16    // random parts of the run, which show whether a few command buffers decide a cost
	FitFreedom    = 5     // observations that there must be beyond the costs, to know how well they fit
	FitDecided    = 0.34  // share of what identifies a cost that one fold may have: three observations of it, at least
	FitIdentified = 0.5   // half of the interval of a cost that is identified, in parts of it
	FitRank       = 1e-9  // of the largest eigenvalue: below, a combination of costs is not seen at all
	FitConfidence = 0.975 // quantile of Student's t for a bound of an interval
	FitRounding   = 0.002 // by how much of itself a cost may be off that fits without any residual: clocks have ticks
)
