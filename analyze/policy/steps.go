package policy

// When command buffers count as steps of a loop, and steps as the prompt and the tokens of a language model
// (analyze/steps). No verdict depends on these values.
const (
	// StepsRepeated is how many equal steps in a row are a loop: a p95 of fewer is their maximum.
	StepsRepeated = 8
	// StepPeriods is how many lengths of a period are tried: the most frequent distances between equal command buffers.
	StepPeriods = 24
	// StepLongest is the most command buffers of one step; MLX needs some tens for one token of a large model.
	StepLongest = 2048
	// StepContext is how many command buffers in a row are compared when distances between equal ones are counted, beside
	// single ones: a step may have no command buffer that occurs once in it.
	StepContext = 4
	// StepNearlyLongest is the share of the longest stretch of equal steps that a shorter period must reach to be
	// preferred.
	StepNearlyLongest = 0.9
	// StepMost bounds the command buffers that are looked at, 64 bytes each.
	StepMost = 1 << 18
	// StepRows bounds the rows of equal steps that are looked for in one queue.
	StepRows = 64

	// PromptThreads is how many times the threads of a decoded token a step of the prompt has at least: a prompt of two
	// tokens is not told from a token.
	PromptThreads = 3.0
	// PromptDispatches is by which factor the number of dispatches of a step of the prompt may differ from a token's: it
	// is the same graph, with other kernels here and there.
	PromptDispatches = 1.5
	// PromptKernels is the least share of a token's kernels that a step of the prompt has too.
	PromptKernels = 0.25
	// StepDrift is by which factor threads and dispatches of neighbouring loops may differ that are one: attention grows
	// with the context.
	StepDrift = 2.0
)
