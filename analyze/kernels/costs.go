package kernels

import (
	"gonum.org/v1/gonum/floats"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Costs has the cost of each kernel, as far as the run shows it. The GPU's clock often measures several kernels
// together, so the costs are fitted to these shared times.
type Costs struct {
	fit       *fit
	solution  *solution        // nil if no time was measured
	mostFixed float64          // the largest fixed cost of an encoder, in ns
	rows      map[row]estimate // by kernel: its estimated part of the times that it shares with others, in ns
	perUse    map[row]float64  // by kernel whose cost the run does not identify: the assumed cost of each use, in ns
	usual     float64          // mean cost of a use of the fitted kernels, in ns; assumed for a kernel without bounds
	single    map[string]bool  // names that only one kernel has
}

// CostsOf fits the costs of the kernels of a trace.
func CostsOf(t *analyze.Trace) *Costs { return NewSum(t).Costs() }

// Costs fits the costs to all times that were added. The result is cached until more times are added.
func (s *Sum) Costs() *Costs {
	if s.costs == nil {
		mostFixed := s.length.fixedCost()
		s.costs = &Costs{fit: s.fit, solution: s.fit.solve(mostFixed), mostFixed: mostFixed, rows: map[row]estimate{},
			perUse: map[row]float64{}, usual: 1, single: s.single()}
		if s.costs.solution != nil {
			s.costs.mostFixed = s.costs.solution.mostFixed
		}
		s.estimate(s.costs)
		s.addUp(s.costs)
	}
	return s.costs
}

// estimate estimates each kernel's part of the times that it shares with other kernels. If the run does not identify
// a kernel's part, the kernel gets bounds, and as its estimate a part of the time that the identified kernels leave.
func (s *Sum) estimate(c *Costs) {
	var open []row
	var openUses [][]float64
	identified, sum, count, factor := 0.0, 0.0, 0.0, s.factor(c.solution)
	for _, k := range s.list {
		r := row{k.Name, k.Variant}
		uses := s.usesOf(r)
		if uses == nil {
			c.rows[r] = estimate{nothing: true}
			continue
		}
		if c.solution == nil {
			open, openUses = append(open, r), append(openUses, nil)
			continue
		}
		g, all := c.solution.scaledUses(uses)
		e := c.solution.estimate(g).times(factor)
		switch {
		case !e.identified:
			open, openUses = append(open, r), append(openUses, g)
			continue
		case !all || e.high-e.low > 2*policy.FitIdentified*e.value: // only its bounds are useful
			e.identified = false
			c.perUse[r] = e.value / floats.Sum(uses)
		}
		identified, sum, count = identified+e.value, sum+e.value, count+floats.Sum(uses)
		c.rows[r] = e
	}
	if count > 0 {
		c.usual = sum / count
	}
	var ranges []estimate
	var found []bool
	if c.solution != nil {
		ranges, found = c.solution.ranges(openUses)
	}
	left := 0.0
	for i, r := range open {
		var e estimate
		uses := s.usesOf(r)
		if found != nil {
			e = ranges[i].times(factor)
		}
		if found == nil || !found[i] || !allFitted(c.solution, uses) {
			e.low, e.high = 0, float64(s.by[r].shared)
		}
		if found == nil || !found[i] {
			e.value = c.usual * floats.Sum(uses)
		}
		c.rows[r] = e
		left += e.value
	}
	for _, r := range open { // scale the estimates so that they add up to the time that identified kernels leave
		e := c.rows[r]
		if left > 0 {
			e.value = max(0, float64(s.shared)-identified) * (e.value / left)
		}
		e.low, e.high = min(e.low, e.value), max(e.high, e.value)
		c.perUse[r] = e.value / floats.Sum(s.usesOf(r))
		c.rows[r] = e
	}
}

// factor returns the number by which the fitted costs must be multiplied to add up to the measured times that several
// kernels shared. A least-squares fit alone does not preserve this sum.
func (s *Sum) factor(of *solution) float64 {
	if of == nil {
		return 1
	}
	g, _ := of.scaledUses(s.uses)
	if sum := floats.Dot(g, of.cost); sum > 0 {
		return float64(s.shared) / sum
	}
	return 1
}

func (e estimate) times(factor float64) estimate {
	e.value, e.low, e.high = e.value*factor, e.low*factor, e.high*factor
	return e
}

// addUp scales the kernels' costs so that they add up to the shared times.
func (s *Sum) addUp(c *Costs) {
	sum := 0.0
	for _, e := range c.rows {
		sum += e.value
	}
	if sum == 0 {
		return
	}
	factor := float64(s.shared) / sum
	for r, e := range c.rows {
		c.rows[r] = e.times(factor)
	}
}

// single returns a map from each name to whether only one kernel has that name. Such a kernel is shown without its
// variant.
func (s *Sum) single() map[string]bool {
	single := map[string]bool{}
	for _, k := range s.list {
		_, before := single[k.Name]
		single[k.Name] = !before
	}
	return single
}

// usesOf returns how often each column (cost of the fit) of kernel r occurs in shared times. The result's index is
// the column's number; it is nil if none occurs.
func (s *Sum) usesOf(r row) (uses []float64) {
	for i, n := range s.uses {
		if n > 0 && s.fit.columns[i].row == r {
			if uses == nil {
				uses = make([]float64, len(s.fit.columns))
			}
			uses[i] = n
		}
	}
	return uses
}

// allFitted reports whether the fit has observations for all columns that have uses. Without an observation, the cost
// of a column is not known.
func allFitted(s *solution, uses []float64) bool {
	if s == nil {
		return false
	}
	_, all := s.scaledUses(uses)
	return all
}

// of returns the estimated cost in ns of one use of the column with the given number; false if it is not known.
func (c *Costs) of(number int) (cost float64, known bool) {
	if number < 0 {
		return 0, false
	}
	if cost, open := c.perUse[c.fit.columns[number].row]; open {
		return cost, true
	}
	if c.solution == nil || number >= len(c.solution.of) || c.solution.of[number] < 0 {
		return 0, false
	}
	at := c.solution.of[number]
	return c.solution.cost[at] * c.solution.times[number] / c.solution.scale[at], true
}

// weight returns the estimated cost of a share. A time that several shares have in common is divided in proportion to
// their weights.
func (c *Costs) weight(s *Share) (weight float64) {
	s.uses(func(u use) {
		number, times := c.fit.find(u.column)
		cost, known := c.of(number)
		if !known {
			cost, times = c.usual, 1
		}
		weight += u.count * times * cost
	})
	return weight
}

// source returns how the share's part of a common time was determined: Fitted or NotIdentified.
func (c *Costs) source(s *Share) string {
	if e := c.rows[s.row()]; e.identified {
		return Fitted
	}
	return NotIdentified
}

// Interval returns bounds of a kernel's part of the times that it shares with others, as multiples of the estimated
// part. Both bounds are 1 for a kernel that shares no time. `identified` is false if the run does not determine the
// part.
func (c *Costs) Interval(kernel, variant string) (low, high float64, identified bool) {
	e, known := c.rows[row{kernel, variant}]
	for r := range c.rows {
		if c.single[kernel] && r.name == kernel {
			e, known = c.rows[r], true
		}
	}
	switch {
	case !known || e.nothing:
		return 1, 1, true
	case e.value <= 0:
		return 1, 1, e.identified
	}
	return e.low / e.value, e.high / e.value, e.identified
}

// divide sets each share's part of the measured time `total`, in proportion to the estimated costs.
func (c *Costs) divide(shares []Share, total analyze.Nanos) {
	weights := make([]float64, len(shares))
	for i := range shares {
		weights[i] = c.weight(&shares[i])
	}
	for i, part := range divide(total, weights) {
		shares[i].GPU = part
	}
}

// divide divides a total in proportion to the weights, or equally if all weights are 0. Rounding errors are carried
// over to the next part, so the parts add up to the total exactly.
func divide(total analyze.Nanos, weights []float64) []analyze.Nanos {
	sum, last := 0.0, len(weights)-1
	for i, w := range weights {
		if sum += w; w > 0 {
			last = i
		}
	}
	parts := make([]analyze.Nanos, len(weights))
	upTo, given := 0.0, analyze.Nanos(0)
	for i, w := range weights {
		if sum > 0 {
			upTo += w / sum
		} else {
			upTo += 1 / float64(len(weights))
		}
		until := min(max(given, analyze.Nanos(float64(total)*upTo)), total)
		if i == last {
			until = total
		}
		parts[i], given = until-given, until
	}
	return parts
}
