package policy

import "mtrace/analyze"

// Assumptions of the replay for what a trace does not record. The replay also runs with other values, and the
// interval of a prediction covers all results.
const (
	// Scattered is the share of bursts of CPU work that the scheduler does not place on the least busy processor. It
	// differs between systems and wake-ups, so the replay also runs with none and all scattered.
	Scattered = 0.5
	// Interrupting is the share of a wake-up's time that goes into waking the idle processor. The remainder is the
	// system call of the waking thread and the switch to the woken thread. The replay also runs with none and all.
	Interrupting = 1.0 / 3
	// MostWaking is the largest share of Metal's own processing of a commit that counts as waking its threads, which
	// a thread that is already awake saves. Some processing always remains.
	MostWaking = 0.9
	// LeastQuiet is the smallest share of a thread's step that remains when waiting for a processor is removed from
	// it. Samples tell how long threads waited in total, not in which steps, so a step must not vanish.
	LeastQuiet = 0.2
	// OfAnswers is the share of a client thread's own time that goes into sending requests to a submitting thread and
	// receiving results; for the submitting thread, the share of its time that it needs after each result. Per request
	// it is at most half of the framework's processor time for a command buffer.
	OfAnswers = 0.5
	// OfLaunches is the share of a thread's time outside of encoding that depends on the number of command buffers,
	// not on the work in them: autorelease pools, released objects, loops. The replay also runs with none and all.
	OfLaunches = 0.5
	// FewerLaunches is how many command buffers are merged into one when the replay predicts the gain of fewer
	// launches.
	FewerLaunches = 16
	// ErrorOfMore is added to the relative error of a prediction for each doubling of speed: the more of the run is
	// removed, the more the result depends on errors in the remaining durations.
	ErrorOfMore = 0.02
	// ErrorOfLess is added to the relative error of a prediction that makes a kernel or call shorter, because its
	// exact share of the time is unknown. Of 328 predictions on 4 processors, 92% were inside their interval without
	// it, 95% with it.
	ErrorOfLess = 0.03
	// SpreadOfCauses and SpreadOfItems widen the reported interval for what a replay cannot know, for example that
	// after the change another thread becomes the slowest. They were measured so that the intervals of 90% of the
	// predictions (removed causes; kernels of half the duration) contain the measured gain: 0.48 and 0.35 with
	// programs of seeds 5001 to 5078, 0.62 and 0.27 with 5079 to 5136; the larger ones are used. Values fitted to one
	// set contained 92% of the other set's gains. `structures exam --kept FOLDER` prints them.
	SpreadOfCauses, SpreadOfItems = 0.62, 0.35
	// SpreadFloor is added to the logarithm of the speedup before SpreadOfCauses and SpreadOfItems multiply it.
	// Without it, a predicted gain of zero would have an interval of zero width.
	SpreadFloor = 0.01
	// UsualCompletion is the assumed time from the GPU's end of a command buffer to its completion notification, and
	// UsualAcquire the time to create a command buffer, where the trace shows too few.
	UsualCompletion, UsualAcquire analyze.Nanos = 20_000, 1_000
	// Quick divides a sorted list of durations: its fastest 1/Quick, a tenth, counts as undisturbed by other work.
	Quick = 10
	// LeastVariance is the smallest variance of x for which the slope of a regression of y over x is used; with less
	// it is noise. Rounding allows for floating-point errors when a share is compared with 1.
	LeastVariance, Rounding = 0.02, 0.001
)

// Confidence (0 to 1) of a cause, by its kind of evidence.
const (
	Recorded = 0.9  // the trace contains the cost itself
	Shown    = 0.85 // the trace shows the wait and the awaited thread
	Inferred = 0.75 // it follows from the pattern of other data
	Guessed  = 0.6  // another cause may produce the same pattern
	Nothing  = 0.7  // no cause was found

	Unrivalled = 0.6 // factor if another cause explains as much; otherwise 1
)
