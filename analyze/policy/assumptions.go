package policy

import "mtrace/analyze"

// What the replay assumes where no trace tells. Predictions are made with other values, too, and their intervals hold
// what these give.
const (
	// Scattered is the share of bursts of work that the scheduler does not place on the least busy processor. It depends
	// on the system and on which thread wakes which; intervals cover none and all.
	Scattered = 0.5
	// Interrupting is the share of a wake-up that wakes the processor and not the thread: one of three parts, beside the
	// system call of the waking thread and the switch to the thread. Intervals cover none and all.
	Interrupting = 1.0 / 3
	// MostWaking bounds the part of the framework's work that goes into waking its threads: something is left to do for
	// those awake.
	MostWaking = 0.9
	// LeastQuiet bounds what is taken out for want of a processor: the samples say how long threads waited, not in what.
	LeastQuiet = 0.2
	// OfAnswers is the share of a thread's own time that goes into sending requests and receiving results and, for a
	// submitting thread, of its time after each result.
	OfAnswers = 0.5
	// OfLaunches is the share of a thread's own time outside of encoding that depends on the number of command buffers
	// and not on the work in them: pools, released objects, loops. Intervals cover none and all.
	OfLaunches = 0.5
	// FewerLaunches is how many command buffers are put into one where launching is the cause.
	FewerLaunches = 16
	// ErrorOfMore is added to the error of a prediction for each doubling: the more of a run is taken out, the more rests
	// on how long the rest takes.
	ErrorOfMore = 0.02
	// ErrorOfLess is added to the error of a prediction that shortens a thing without removing a cause, because the
	// thing's exact share of a time is unknown. Of 328 predictions on 4 processors, 92% were inside their interval
	// without it, 95% with it.
	ErrorOfLess = 0.03
	// UsualCompletion is what it takes to see the GPU's end where no command buffer shows it; UsualAcquire what making one
	// takes.
	UsualCompletion, UsualAcquire analyze.Nanos = 20_000, 1_000
	// Quick is one in so many: what the quickest tenth takes was not hindered.
	Quick = 10
	// LeastVariance is the variance of the independent variable from which on a slope is reported; Rounding bounds the
	// error of floating point.
	LeastVariance, Rounding = 0.02, 0.001
)

// Confidence of a rule by its kind of evidence, 0…1.
const (
	Recorded = 0.9  // what costs the time is in the trace by itself
	Shown    = 0.85 // the trace shows what waits and for whom
	Inferred = 0.75 // it shows in the shape of other things
	Guessed  = 0.6  // something else may have that shape
	Nothing  = 0.7  // no cause was found

	Unrivalled = 0.6 // of it where another cause explains as much; all where none does
)
