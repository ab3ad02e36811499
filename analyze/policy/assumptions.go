package policy

import "mtrace/analyze"

// Assumptions of the replay where the trace has no data. Predictions are also made with other values, and their
// intervals cover the results.
const (
	// Scattered is the share of bursts of work that the scheduler does not place on the least busy processor. It depends
	// on the system and on which thread wakes which; intervals cover none and all.
	Scattered = 0.5
	// Interrupting is the part of a wake-up that wakes the processor rather than the thread: one of three parts, next
	// to the system call of the waking thread and the switch to the woken thread. Intervals cover none and all.
	Interrupting = 1.0 / 3
	// MostWaking bounds the part of the framework's work that is spent on waking its threads: some work remains for
	// awake threads.
	MostWaking = 0.9
	// LeastQuiet bounds how much of a step is removed as waiting for a processor: the samples show how long threads
	// waited, but not in which steps.
	LeastQuiet = 0.2
	// OfAnswers is the share of a thread's own time that is spent on sending requests and receiving results, and for a
	// submitting thread the share of its time after each result.
	OfAnswers = 0.5
	// OfLaunches is the share of a thread's own time outside of encoding that depends on the number of command buffers
	// and not on the work in them: pools, released objects, loops. Intervals cover none and all.
	OfLaunches = 0.5
	// FewerLaunches is how many command buffers are merged into one where launching is the cause.
	FewerLaunches = 16
	// ErrorOfMore is added to the error of a prediction for each doubling of speed: the larger the removed part of the
	// run, the more the result depends on the duration of the rest.
	ErrorOfMore = 0.02
	// ErrorOfLess is added to the error of a prediction that shortens an item without removing a cause, because the
	// item's exact share of a time is unknown. Of 328 predictions on 4 processors, 92% were inside their interval
	// without it, 95% with it.
	ErrorOfLess = 0.03
	// SpreadOfCauses and SpreadOfItems widen the interval that readers are shown, for errors that a replay cannot know,
	// such as another thread that is the slowest then. They are measured: the intervals of 90% of the predictions of
	// removed causes, and of kernels of half the duration, contained the measured gain with 0.48 and 0.35 (programs of
	// seeds 5001 to 5078), and with 0.62 and 0.27 (5079 to 5136). The larger ones are used. Fitted to one set, they
	// contained 92% of the other set's gains, both ways. `structures exam --kept FOLDER` prints them.
	SpreadOfCauses, SpreadOfItems = 0.62, 0.35
	// SpreadFloor is added to the logarithm of the speedup, to which the variance of these errors is proportional:
	// even a change without gain is predicted with an error.
	SpreadFloor = 0.01
	// UsualCompletion is the time until the GPU's end is noticed, where no command buffer shows it; UsualAcquire is the
	// time to create a command buffer.
	UsualCompletion, UsualAcquire analyze.Nanos = 20_000, 1_000
	// Quick is the divisor for the quickest share: the fastest tenth counts as undisturbed.
	Quick = 10
	// LeastVariance is the variance of the independent variable from which a slope is reported; Rounding bounds the
	// floating-point error.
	LeastVariance, Rounding = 0.02, 0.001
)

// Confidence of a rule by its kind of evidence, 0…1.
const (
	Recorded = 0.9  // the trace contains the cost itself
	Shown    = 0.85 // the trace shows the wait and the awaited thread
	Inferred = 0.75 // it follows from the pattern of other data
	Guessed  = 0.6  // another cause may produce the same pattern
	Nothing  = 0.7  // no cause was found

	Unrivalled = 0.6 // factor if another cause explains as much; otherwise 1
)
