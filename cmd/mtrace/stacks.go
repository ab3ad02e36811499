package main

import (
	"slices"
	"strings"
)

// stackKinds are the values of --stacks: off alone, the others together or one of them.
var stackKinds = []string{"off", "native", "python"}

// checkStacks says what is wrong with a value of --stacks.
func checkStacks(kinds []string) error {
	for _, k := range kinds {
		if !slices.Contains(stackKinds, k) {
			return usageError("--stacks is off, native, python, or native,python; not %q", strings.Join(kinds, ","))
		}
	}
	if slices.Contains(kinds, "off") && len(kinds) > 1 {
		return usageError("--stacks off goes with nothing else, but is given %s", strings.Join(kinds, ","))
	}
	return nil
}

// stackEnvironment is how the library is told.
func stackEnvironment(kinds []string) string { return "MTRACE_STACKS=" + strings.Join(kinds, ",") }
