package policy

// Limits of `mtrace experiment`, which delays parts of a running program and measures how much its progress suffers.
const (
	// FewestTreatedBlocks is how many blocks of time with inserted delays an interval needs. With fewer, Student's t
	// has so few degrees of freedom that the interval depends more on its assumptions than on the data.
	FewestTreatedBlocks = 6
	// FewestDifferences is how many differences between blocks without delays are needed to measure their noise. With
	// fewer, a single outlier can decide the median.
	FewestDifferences = 3
	// SlackSensitivity is the sensitivity (delay of the program per ns of inserted delay) below which a target does
	// not matter. At 0.2, 5 ns of inserted delay cost the program 1 ns.
	SlackSensitivity = 0.2
	// UnitsOfBlock is how many units of progress (for example command buffers) a block of an experiment should have,
	// so that the counting error at its ends is at most a twentieth.
	UnitsOfBlock = 20
	// PreemptedDelays is a ratio of the measured to the requested length of spinning delays. Above it, the machine
	// has too few processors for the experiment. Without other load the ratio is 1.00 to 1.02 on two processors.
	PreemptedDelays = 1.1
	// DecidingPower is the probability that an experiment of the proposed length decides.
	DecidingPower = 0.8
	// SensitivityFloor: the replay's error is relative to the predicted sensitivity, or to this value if that is
	// larger. So even a predicted sensitivity of 0 has an error.
	SensitivityFloor = 1
	// DisputedVerdict is the largest confidence that a verdict keeps when an experiment contradicts its replay.
	DisputedVerdict = 0.5
)
