package analyze

import "mtrace/collector/wire"

// A CallStat sums the calls of one selector on one class.
type CallStat struct {
	Selector string
	Class    string
	Effect   wire.Effect
	// of the partition that the calls' time goes to; PartCount for waits, of which the model makes several parts
	Part      Part
	Count     int64
	Total     Nanos // with what was nested in them
	Min, Max  Nanos
	Exclusive map[*Thread]Nanos // per thread, without what was nested
	Counts    map[*Thread]int64
	From      []CallsFrom // Counts and Exclusive by stack; empty when stacks were not recorded
	Durations *Durations  // nil when they are not known

	// calls that had not returned at the end of the run: in Total, Min, Max and Exclusive, but not in Count and Durations
	Unfinished int64
}

// Waits says whether the time of such calls is what others do: they wait for work, a lock, a drawable or a signal, and
// by themselves could take no less.
func (c *CallStat) Waits() bool {
	return c.Part == PartCount || c.Part == PartLock || c.Part == PartDrawable || c.Part == PartOutside
}

// unfinished adds the part of a call that is in the range, of one that had not returned. Begins says that it began
// there.
func (c *CallStat) unfinished(d Nanos, begins bool) {
	c.Total += d
	c.Min, c.Max = min(c.Min, d), max(c.Max, d)
	if begins {
		c.Unfinished++
	}
}

// add adds a call. Count is the sum of what the threads count for themselves.
func (c *CallStat) add(d Nanos) {
	c.Total += d
	c.Min, c.Max = min(c.Min, d), max(c.Max, d)
	c.Durations.Add(d)
}
