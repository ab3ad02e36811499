package policy

// Limits for recognizing that command buffers repeat as the steps of a loop, and that steps are the prompt and the
// tokens of a language model (analyze/steps). No verdict depends on these values.
const (
	// StepsRepeated is the minimum number of equal steps in a row that count as a loop. Percentiles of fewer steps
	// mean nothing.
	StepsRepeated = 8
	// StepPeriods is how many candidates for the length of a step (in command buffers) are tried: the most frequent
	// distances between equal command buffers.
	StepPeriods = 24
	// StepLongest is the largest number of command buffers in a step; MLX needs some tens for one token of a large
	// model.
	StepLongest = 2048
	// StepContext is a number of successive command buffers. Candidates for a step's length are the distances between
	// equal command buffers, and between equal series of StepContext command buffers. Series are needed if each command
	// buffer occurs several times in a step: equal single ones are then less than a step apart.
	StepContext = 4
	// StepNearlyLongest: a shorter step is preferred if its repetitions cover at least this share of the command
	// buffers that the longest run of equal steps covers.
	StepNearlyLongest = 0.9
	// StepMost is the largest number of command buffers that are examined; each needs 64 bytes.
	StepMost = 1 << 18
	// StepRows is the largest number of loops that are looked for in one queue.
	StepRows = 64

	// PromptThreads is the minimum ratio of the GPU threads of a prompt's step to the GPU threads of a token's step.
	// A prompt of two tokens cannot be distinguished from a token.
	PromptThreads = 3.0
	// PromptDispatches is the maximum ratio between the numbers of dispatches of a prompt's and a token's step,
	// because both run the same graph with a few different kernels.
	PromptDispatches = 1.5
	// PromptKernels is the minimum share of a token's kernels that also occur in a prompt's step.
	PromptKernels = 0.25
	// Two neighbouring loops are merged into one only if the GPU threads of their steps differ by at most the factor
	// StepDrift. It is above 1 because the attention kernels of a language model get more threads as the text grows.
	StepDrift = 2.0
)
