package main

// withPriority returns a command that runs mtrace, and the program that it traces, before most other programs, if the
// user may do that (root may). It is for tests whose programs compute, or poll, for times that the test compares: on a
// busy machine, the report of such a program rightly says that its threads wait for processors. Without the right,
// `nice` prints a warning and runs the command as usual.
func withPriority(args ...string) (name string, all []string) {
	return "nice", append([]string{"-n", "-20", tool.mtrace}, args...)
}
