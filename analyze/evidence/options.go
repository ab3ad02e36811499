package evidence

import (
	"cmp"

	"mtrace/analyze/policy"
)

// Options steer what is random.
type Options struct {
	Seed         uint64 // the same seed gives the same answer; 0 is as good as any
	Permutations int    // 0 is policy.Permutations
}

func (o Options) withDefaults() Options {
	o.Permutations = cmp.Or(o.Permutations, policy.Permutations)
	return o
}
