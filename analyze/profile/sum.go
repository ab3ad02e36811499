package profile

import (
	"fmt"
	"slices"

	"github.com/google/pprof/profile"

	"mtrace/analyze"
	"mtrace/analyze/kernels"
)

// A Sum adds up profiles of the parts of a long trace (analyze.Options.Adds). Its memory grows with different stacks,
// not with the trace. Times are those of the whole; a wait over the border of two parts counts with the phase that is
// its longest in the first.
type Sum struct {
	kinds   []string
	sums    []*profile.Profile // of each kind
	pending [][]*profile.Profile
	window  analyze.Interval
	costs   *kernels.Costs
}

// mostPending is how many profiles of a kind are added up at once: what there is already is gone over each time.
const mostPending = 8

// NewSum is of profiles of these kinds, of Types, and of no parts. The costs of kernels are those of the whole run.
func NewSum(kinds []string, costs *kernels.Costs) *Sum {
	return &Sum{costs: costs, kinds: kinds, sums: make([]*profile.Profile, len(kinds)),
		pending: make([][]*profile.Profile, len(kinds))}
}

// Add adds the part that comes next.
func (s *Sum) Add(part *analyze.Trace) error {
	if s.window.End == 0 {
		s.window = part.Window
	}
	s.window = analyze.Interval{Begin: min(s.window.Begin, part.Window.Begin), End: max(s.window.End, part.Window.End)}
	parts, err := buildAll(s.kinds, part, s.costs)
	if err != nil {
		return err
	}
	for i, p := range parts {
		s.pending[i] = append(s.pending[i], p)
		if len(s.pending[i]) >= mostPending {
			if err := s.merge(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// merge adds up what is pending of a kind.
func (s *Sum) merge(i int) error {
	all := s.pending[i]
	if s.sums[i] != nil {
		all = slices.Insert(all, 0, s.sums[i])
	}
	for _, p := range all {
		p.PeriodType = &profile.ValueType{} // Merge compares them
	}
	sum, err := profile.Merge(all)
	if err != nil {
		return fmt.Errorf("adding up %s profiles: %w", s.kinds[i], err)
	}
	s.sums[i], s.pending[i] = sum, nil
	return nil
}

// Profiles are the sums, one of each kind, in their order.
func (s *Sum) Profiles() ([]*profile.Profile, error) {
	for i := range s.kinds {
		if len(s.pending[i]) > 0 {
			if err := s.merge(i); err != nil {
				return nil, err
			}
		}
		s.sums[i].PeriodType, s.sums[i].DurationNanos = nil, int64(s.window.Length())
	}
	return s.sums, nil
}
