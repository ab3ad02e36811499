package policy

import "mtrace/analyze"

// Assumptions of the replay for what a trace does not record. The replay also runs with other values, and the
// interval of a prediction covers all results.
const (
	// ScatteredBurstShare is the share of bursts of CPU work that the scheduler does not place on the least busy
	// processor. It differs between systems and wake-ups, so the replay also runs with the shares 0 and 1.
	ScatteredBurstShare = 0.5
	// WakeInterruptShare is the share of a wake-up's time that goes into waking the idle processor. The rest is the system
	// call of the waking thread and the switch to the woken thread. The replay also runs with the shares 0 and 1.
	WakeInterruptShare = 1.0 / 3
	// LargestWakingShare is the largest share of Metal's processing of a commit that may be time for waking Metal's
	// threads. The replay subtracts this time if the threads are already awake. The limit ensures that some processing
	// remains.
	LargestWakingShare = 0.9
	// LeastStepRemainder is the smallest share of a thread's step that remains after waiting for a processor is removed
	// from the step. Samples show only how long threads waited in total, not in which steps, so no step may vanish.
	LeastStepRemainder = 0.2
	// MessagingShare is the share of a client thread's processor time that goes into sending requests to a submitting
	// thread and receiving results. It is also the share of the submitting thread's time between two requests that goes
	// into sending the result. Either time is limited per request to half of Metal's processor time for a command
	// buffer.
	MessagingShare = 0.5
	// PerLaunchShare is the share of a thread's time outside of encoding that depends on the number of command buffers,
	// not on their work: autorelease pools, released objects, loops. The replay also runs with the shares 0 and 1.
	PerLaunchShare = 0.5
	// MergedLaunches is how many command buffers are merged into one when the replay predicts the gain of fewer
	// launches.
	MergedLaunches = 16
	// FewestSmallEncoders is how many encoders of a command buffer must follow one of the same kind before the advice is
	// to join encoders. A program seldom has that many by the structure of its code alone.
	FewestSmallEncoders = 4
	// ErrorPerDoubling is added to the relative error of a prediction for each doubling of speed. The more of the run a
	// change removes, the more the result depends on errors in the remaining durations.
	ErrorPerDoubling = 0.02
	// ErrorOfShortening is added to the relative error of a prediction that makes a kernel or call shorter, because the
	// item's exact share of the time is unknown. Without it, 92% of 328 measured gains on 4 processors were inside
	// their predicted interval; with it, 95%.
	ErrorOfShortening = 0.03
	// SpreadOfCauses and SpreadOfItems widen the reported interval for errors that a replay cannot know, for example
	// that another thread becomes the slowest after the change. They are the smallest values with which 90% of the
	// gains that were measured in generated programs lie inside their intervals, for removed causes and for kernels of
	// half the duration. The programs of seeds 5001 to 5078 need 0.48 and 0.35, those of seeds 5079 to 5136 need 0.62
	// and 0.27; the larger values are used. `structures exam --kept FOLDER` prints the values that a set needs.
	SpreadOfCauses, SpreadOfItems = 0.62, 0.35
	// SpreadFloor is added to the logarithm of the speedup before SpreadOfCauses and SpreadOfItems multiply it.
	// Without it, a predicted gain of zero would have an interval of zero width.
	SpreadFloor = 0.01
	// UsualCompletion is the assumed time from the GPU's end of a command buffer to its completion notification.
	// UsualAcquire is the assumed time to create a command buffer. Both are used where the trace shows too few times.
	UsualCompletion, UsualAcquire analyze.Nanos = 20_000, 1_000
	// FastestDivisor says how many durations count as undisturbed by other work: the fastest 1/FastestDivisor, a tenth, of
	// a sorted list.
	FastestDivisor = 10
	// LeastVariance is the smallest variance of x at which the slope of a regression of y over x is used; with less
	// variance, the slope is noise. Rounding allows for floating-point errors when a share is compared with 1.
	LeastVariance, Rounding = 0.02, 0.001
)

// Confidence (0 to 1) of a cause, by its kind of evidence.
const (
	ConfidenceRecorded = 0.9  // the trace contains the cost itself
	ConfidenceShown    = 0.85 // the trace shows the wait and the awaited thread
	ConfidenceInferred = 0.75 // it follows from the pattern of other data
	ConfidenceGuessed  = 0.6  // another cause may produce the same pattern
	ConfidenceNoCause  = 0.7  // no cause was found

	// The confidence is multiplied by RivalFactor if another cause explains as much time as the verdict's. The less the
	// other cause explains, the closer the factor is to 1.
	RivalFactor = 0.6
)
