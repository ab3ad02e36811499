package policy

// Limits of the analysis of experiments (mtrace experiment).
const (
	// FewestTreatedBlocks is how many treated blocks an interval needs. With fewer, Student's t has so few degrees of
	// freedom that the interval depends on its assumptions more than on the data.
	FewestTreatedBlocks = 6
	// SlackSensitivity is the sensitivity under which a target does not matter: a delay of 5 ns for each of its
	// nanoseconds would be needed to slow the program down by one.
	SlackSensitivity = 0.2
	// UnitsOfBlock is how many units of progress a block should have: the counting error of both ends is then at most a
	// twentieth of the block.
	UnitsOfBlock = 20
	// DecidingPower is the probability with which an experiment that runs as much longer as is proposed decides.
	DecidingPower = 0.8
	// SensitivityFloor is the sensitivity of which the replay's error is a share at least: a prediction of no effect is
	// not exact.
	SensitivityFloor = 1
	// DisputedVerdict is the most confidence of a verdict whose replay an experiment contradicts.
	DisputedVerdict = 0.5
)
