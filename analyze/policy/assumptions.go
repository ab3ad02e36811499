package policy

import "mtrace/analyze"

// What the replay assumes where no trace tells. Predictions are made with other values, too, and their intervals hold
// what these give.
const (
	// Scattered is the share of the bursts of work that the system does not give to the processor with the least to do.
	// What it is depends on the system and on who wakes whom; intervals hold none and all.
	Scattered = 0.5
	// Interrupting is the part of waking that wakes the processor and not the thread: one of three, the system call of who
	// wakes, the interrupt to a processor that sleeps, and the switch to the thread. Intervals hold none and all.
	Interrupting = 1.0 / 3
	// MostWaking bounds the part of the framework's work that goes into waking its threads: something is left to do for
	// those awake.
	MostWaking = 0.9
	// LeastQuiet bounds what is taken out for want of a processor: the samples say how long threads waited, not in what.
	LeastQuiet = 0.2
	// OfAnswers is the part of a thread's own time that goes into asking and being answered, and, of who submits for
	// others, of what it runs for after an answer, into that.
	OfAnswers = 0.5
	// OfLaunches is the part of a thread's own time, beside encoding, that goes with the command buffers and not with the
	// work in them: pools, objects released, loops. Intervals hold none and all.
	OfLaunches = 0.5
	// FewerLaunches is how many command buffers are put into one where launching is the cause.
	FewerLaunches = 16
	// ErrorOfMore is added to the error of a prediction for each doubling: the more of a run is taken out, the more rests
	// on how long the rest takes.
	ErrorOfMore = 0.02
	// ErrorOfLess is added where things take less time and no cause is taken out: nobody tells how much of a time is that
	// thing's. Of 328 predictions, compared with runs on 4 processors, 92 of a hundred were in their intervals without it,
	// and 95 with it.
	ErrorOfLess = 0.03
	// UsualCompletion is what it takes to see the GPU's end where no command buffer shows it; UsualAcquire what making one
	// takes.
	UsualCompletion, UsualAcquire analyze.Nanos = 20_000, 1_000
	// Quick is one in so many: what the quickest tenth takes was not hindered.
	Quick = 10
	// LeastVariance is that of what a slope is over from which on the slope is reported; Rounding is what floating point
	// may be off by.
	LeastVariance, Rounding = 0.02, 0.001
)

// How sure a finding is of itself, 0…1.
const (
	Recorded = 0.9  // what costs the time is in the trace by itself
	Shown    = 0.85 // the trace shows what waits and for whom
	Inferred = 0.75 // it shows in the shape of other things
	Guessed  = 0.6  // something else may have that shape
	Nothing  = 0.7  // no cause was found

	Unrivalled = 0.6 // of it where another cause explains as much; all where none does
)
