package profile

import (
	"fmt"
	"slices"

	"github.com/google/pprof/profile"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/kernels"
)

// A Sum adds up the profiles of the ranges of a long trace (loaded with analyze.Options.Adds, so that no call counts
// twice). Its memory grows with the number of different stacks, not with the trace. A wait that crosses the border of
// two ranges counts once, under its longest phase (such as queued or executing) in the first range.
type Sum struct {
	kinds   []string
	sums    []*profile.Profile   // one per kind
	pending [][]*profile.Profile // by kind: profiles that are not merged into the sum yet; see mostPending
	window  analyze.Interval
	costs   *kernels.Costs
	missing []string // kinds that cannot be summed without costs

	splitter kernels.Splitter
}

// mostPending is how many profiles of a kind are collected before they are merged into the sum. Each merge processes
// the whole sum, so merging one by one would be slow.
const mostPending = 8

// NewSum returns an empty sum for profiles of the given kinds. `costs` has the GPU cost of each kernel, fitted to the
// whole run, because a single time range shows the costs less precisely. If `costs` is nil, some kinds may have no
// profile: see Missing.
func NewSum(kinds []string, costs *kernels.Costs) *Sum {
	return &Sum{costs: costs, kinds: kinds, sums: make([]*profile.Profile, len(kinds)),
		pending: make([][]*profile.Profile, len(kinds))}
}

// Missing returns the kinds without a profile. A kind has none if NewSum got no costs and the GPU's clock measured
// several kernels together, so that their time cannot be divided.
func (s *Sum) Missing() []string { return s.missing }

// Add adds the profiles of the trace's next time range.
func (s *Sum) Add(part *analyze.Trace) error {
	return s.add(part, func() *evidence.Division { return evidence.Divide(part) })
}

// AddDivided is like Add, for a caller that has already computed how the range's threads used their time.
func (s *Sum) AddDivided(part *evidence.Division) error {
	return s.add(part.Trace, func() *evidence.Division { return part })
}

func (s *Sum) add(part *analyze.Trace, division func() *evidence.Division) error {
	if s.window.End == 0 {
		s.window = part.TimeRange
	}
	s.window = analyze.Interval{Begin: min(s.window.Begin, part.TimeRange.Begin),
		End: max(s.window.End, part.TimeRange.End)}
	parts, err := buildAll(s.kinds, input{part, division, func() *kernels.Costs { return s.costs },
		&s.splitter})
	if err != nil {
		return err
	}
	for i, p := range parts {
		if p == nil && !slices.Contains(s.missing, s.kinds[i]) {
			s.missing = append(s.missing, s.kinds[i])
		}
		if slices.Contains(s.missing, s.kinds[i]) {
			continue
		}
		s.pending[i] = append(s.pending[i], p)
		if len(s.pending[i]) >= mostPending {
			if err := s.merge(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// merge merges the pending profiles of one kind, the one with index i, into the sum of that kind.
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

// Profiles returns the summed profiles, one per kind, in the order of the kinds given to NewSum. Those of the kinds in
// Missing are nil.
func (s *Sum) Profiles() ([]*profile.Profile, error) {
	for i, kind := range s.kinds {
		if slices.Contains(s.missing, kind) {
			s.sums[i] = nil
			continue
		}
		if len(s.pending[i]) > 0 {
			if err := s.merge(i); err != nil {
				return nil, err
			}
		}
		s.sums[i].PeriodType, s.sums[i].DurationNanos = nil, int64(s.window.Length())
	}
	return s.sums, nil
}
