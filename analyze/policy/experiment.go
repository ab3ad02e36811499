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
)
