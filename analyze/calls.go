package analyze

import "mtrace/collector/wire"

// A CallStat sums the calls of one selector on one class.
type CallStat struct {
	Selector string
	Class    string
	Effect   wire.Effect
	// the part of its thread's time that the calls' time belongs to; PartCount for waits, which the model divides among
	// several parts
	Part      Part
	Count     int64
	Total     Nanos // with what was nested in them
	Min, Max  Nanos
	Exclusive map[*Thread]Nanos // per thread, without what was nested
	Counts    map[*Thread]int64
	From      []CallsFrom // Counts and Exclusive by stack; empty when stacks were not recorded
	Durations *Durations  // nil when they are not known

	// calls that had not returned when the run ended. They count in Total, Min, Max and Exclusive, but not in Count and
	// Durations
	Unfinished int64
}

// Waits reports whether the duration of these calls depends on something else: they wait for work, a lock, a drawable
// or a signal. Making the calls themselves faster would not help.
func (c *CallStat) Waits() bool {
	return c.Part == PartCount || c.Part == PartLock || c.Part == PartDrawable || c.Part == PartOutside
}

// unfinished adds a call that had not returned when the run ended. d is the call's duration within the range; begins
// reports whether the call began in the range.
func (c *CallStat) unfinished(d Nanos, begins bool) {
	c.Total += d
	c.Min, c.Max = min(c.Min, d), max(c.Max, d)
	if begins {
		c.Unfinished++
	}
}

// add adds the duration of a call. It does not add to Count, which is later summed up from the threads.
func (c *CallStat) add(d Nanos) {
	c.Total += d
	c.Min, c.Max = min(c.Min, d), max(c.Max, d)
	c.Durations.Add(d)
}
