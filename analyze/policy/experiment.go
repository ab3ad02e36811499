package policy

// Limits of the analysis of experiments (mtrace experiment).
const (
	// FewestTreatedBlocks is how many treated blocks an interval needs. With fewer, Student's t has so few degrees of
	// freedom that the interval depends on its assumptions more than on the data.
	FewestTreatedBlocks = 6
	// SlackSensitivity is the sensitivity below which a target does not matter: a delay of 5 ns for each of its
	// nanoseconds would be needed to delay the program by one.
	SlackSensitivity = 0.2
	// UnitsOfBlock is how many units of progress a block should have: then the counting error at both ends is at most a
	// twentieth of the block.
	UnitsOfBlock = 20
	// PreemptedDelays is the measured length of spinning delays, as a multiple of the length that was asked for, above
	// which the machine lacks processors for them. Without other load it is 1.00 to 1.02 on two processors.
	PreemptedDelays = 1.1
	// DecidingPower is the probability that an experiment of the proposed length decides.
	DecidingPower = 0.8
	// SensitivityFloor is the minimum sensitivity used for the replay's relative error: a prediction of no effect is
	// not exact either.
	SensitivityFloor = 1
	// DisputedVerdict is the maximum confidence of a verdict whose replay an experiment contradicts.
	DisputedVerdict = 0.5
)
