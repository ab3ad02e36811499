package profile

import (
	"fmt"
	"slices"

	"github.com/google/pprof/profile"

	"mtrace/analyze"
	"mtrace/analyze/kernels"
)

// A Sum adds up profiles of the ranges of a long trace (analyze.Options.Adds). Its memory grows with the number of
// different stacks, not with the trace. A wait that crosses the border of two ranges counts with the phase that is its
// longest in the first.
type Sum struct {
	kinds   []string
	sums    []*profile.Profile // one per kind
	pending [][]*profile.Profile
	window  analyze.Interval
	costs   *kernels.Costs
}

// mostPending is the number of profiles of a kind that are merged at once, because each merge processes the whole sum.
const mostPending = 8

// NewSum returns a sum for profiles of these kinds, without ranges. Costs are the kernels' costs over the whole run.
func NewSum(kinds []string, costs *kernels.Costs) *Sum {
	return &Sum{costs: costs, kinds: kinds, sums: make([]*profile.Profile, len(kinds)),
		pending: make([][]*profile.Profile, len(kinds))}
}

// Add adds the next range.
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

// merge merges the pending profiles of a kind into the sum.
func (s *Sum) merge(i int) error {
	all := s.pending[i]
	if s.sums[i] != nil {
		all = slices.Insert(all, 0, s.sums[i])
	}
	for _, p := range all {
		p.PeriodType = &profile.ValueType{} // Merge requires equal period types
	}
	sum, err := profile.Merge(all)
	if err != nil {
		return fmt.Errorf("adding up %s profiles: %w", s.kinds[i], err)
	}
	s.sums[i], s.pending[i] = sum, nil
	return nil
}

// Profiles returns the sums, one of each kind, in order.
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
