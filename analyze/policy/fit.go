package policy

// Limits of the fit that estimates kernels' costs from the GPU times of command buffers over a run (analyze/kernels).
// No verdict depends on these values.
const (
	FitColumns         = 384  // maximum number of costs that are fitted separately; further sizes of dispatches share one
	FitSolved          = 128  // maximum number of costs in the equations: sizes of dispatches are merged to get there
	FitSizeBits        = 4    // significant bits by which sizes of dispatches are distinguished: within 6%
	FitDistinctBuffers = 4096 // different command buffers whose usual time is stored
	FitBlocks          = 24   // consecutive parts of the run whose residuals determine an interval
	FitFolds           = 16   // random parts of the run, which show whether a few command buffers determine a cost
	FitFreedom         = 5    // minimum number of observations beyond the number of costs
	// A cost is identified only if no fold (random part of the run) contributes more than this share to its estimate.
	// Then at least three folds contribute.
	FitFoldShare  = 0.34
	FitIdentified = 0.5 // maximum half width of the interval of an identified cost, as a share of the cost
	// Eigenvalues of the normal equations below this share of the largest one count as 0: the run does not show the
	// costs in their eigenvectors separately.
	FitRank = 1e-9
	// A column of equations is independent of the others if its distance from their span is larger than this share of
	// its length.
	FitIndependent = 1e-7
	// Maximum number of steps of the simplex algorithm for one bound; fits of hundreds of kernels need far fewer.
	FitSteps      = 20000
	FitConfidence = 0.975 // quantile of Student's t for a bound of an interval
	FitRounding   = 0.002 // minimum relative error of a cost, because clocks have finite resolution
)

// MostFixedCost is the largest GPU time, in ns, that beginning and ending an encoder and its command buffer is assumed
// to take if the run has no shorter command buffers. Developers of MLX report 20 µs for each further command buffer.
const MostFixedCost = 20_000

// FixedCostStep is the resolution, in ns, of estimated fixed costs. GPU clocks tick more often: each 42 ns on Apple
// silicon.
const FixedCostStep = 100

// ShownFixedCost: if at least this share of a measured time may be fixed cost, tables show the share. A smaller share
// does not matter when kernels are compared.
const ShownFixedCost = 0.1
