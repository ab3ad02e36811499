package policy

// Limits for recognizing command buffers as steps of a loop, and steps as the prompt and the tokens of a language model
// (analyze/steps). No verdict depends on these values.
const (
	// StepsRepeated is the minimum number of equal steps in a row for a loop: the 95th percentile of fewer steps is
	// their maximum.
	StepsRepeated = 8
	// StepPeriods is how many lengths of a period are tried: the most frequent distances between equal command buffers.
	StepPeriods = 24
	// StepLongest is the most command buffers of one step; MLX needs some tens for one token of a large model.
	StepLongest = 2048
	// StepContext is how many consecutive command buffers are compared when distances between equal ones are counted,
	// in addition to single ones: a step may have no command buffer that occurs only once in it.
	StepContext = 4
	// StepNearlyLongest is the length, relative to the longest run of equal steps, that a shorter period must reach to
	// be preferred.
	StepNearlyLongest = 0.9
	// StepMost bounds the number of examined command buffers, 64 bytes each.
	StepMost = 1 << 18
	// StepRows bounds the number of loops that are looked for in one queue.
	StepRows = 64

	// PromptThreads is the minimum ratio of the threads of a prompt's step to those of a decoded token: a prompt of two
	// tokens cannot be distinguished from a token.
	PromptThreads = 3.0
	// PromptDispatches is the maximum ratio of the numbers of dispatches of a prompt's step and a token: both run the
	// same graph, with a few different kernels.
	PromptDispatches = 1.5
	// PromptKernels is the minimum share of a token's kernels that also occur in a prompt's step.
	PromptKernels = 0.25
	// StepDrift is the maximum ratio of the threads and dispatches of neighbouring loops that are merged: attention
	// grows with the context.
	StepDrift = 2.0
)
