package evidence

import (
	"cmp"

	"mtrace/analyze/policy"
)

// Options control the random permutations of the statistical tests.
type Options struct {
	Seed         uint64 // seed of the random generator: the same seed gives the same result; any value will do
	Permutations int    // 0 is policy.Permutations
}

func (o Options) withDefaults() Options {
	o.Permutations = cmp.Or(o.Permutations, policy.Permutations)
	return o
}
