package diff

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"mtrace/analyze/statistics"
	"slices"
	"strings"

	"mtrace/collector/wire"

	"mtrace/analyze/policy"
)

// Schema names the document.
const Schema = "mtrace.diff/1"

// A Status states whether and how a compared quantity changed from A to B.
type Status string

// The statuses.
const (
	Added    Status = "added"
	Removed  Status = "removed"
	Slower   Status = "slower"
	Faster   Status = "faster"
	Same     Status = "same"     // the interval excludes changes of policy.ChangeExcluded, or more
	Unclear  Status = "unclear"  // no change beyond noise was found, but the confidence interval allows a large one
	Untested Status = "untested" // too few values to distinguish a change from noise
)

// A Change is how one key changed.
type Change struct {
	Kind   Kind   `json:"kind"`
	Name   string `json:"name"`
	Status Status `json:"status"`
	CountA int64  `json:"count_a"` // number of occurrences in all runs of side A
	CountB int64  `json:"count_b"`
	// A and B are typical values: the median over time in one run, and the geometric mean of these medians if a side
	// has several runs.
	A      float64 `json:"typical_a_ns"`
	B      float64 `json:"typical_b_ns"`
	MeanA  float64 `json:"mean_a_ns"`
	MeanB  float64 `json:"mean_b_ns"`
	Impact float64 `json:"impact_ns"` // additional time of B's run due to the change, over all occurrences
	Minor  bool    `json:"minor"`     // true if the item takes so little of the time that its change is irrelevant

	// The following fields are null if no statistical test was made.
	Ratio  *float64 `json:"ratio"` // ratio of B to A: 2 means that B is twice as slow
	Low    *float64 `json:"ratio_low"`
	High   *float64 `json:"ratio_high"`
	PValue *float64 `json:"p_value"`
	QValue *float64 `json:"q_value"` // p_value, adjusted for the number of things tested

	Because string `json:"because,omitempty"` // for threads and the run: the part of the time that changed most
	Why     string `json:"why,omitempty"`     // why nothing was tested

	// The contribution of this item to the change of the time per command buffer, in nanoseconds. For a call it is the
	// change of its exclusive time on submitting threads, for a kernel that of its GPU time.
	lost float64

	// the two halves of Because: the name of the part and its change, as "outside Metal" and "−870 µs"
	part, partChange string
}

// A Side is one side of the comparison, A or B: one or several runs.
type Side struct {
	Paths   []string `json:"paths"`
	Program string   `json:"program"`
	Args    []string `json:"args"`               // the arguments of the first run, with the program's name
	TokenNS int64    `json:"token_ns,omitempty"` // median time for each token; absent without tokens
	Device  string   `json:"device"`
	Verdict string   `json:"verdict"`
	Summary string   `json:"summary"`         // the sentence of the run whose verdict has the median share
	Agree   int      `json:"runs_that_agree"` // number of runs that have the side's verdict
}

// A Document is a comparison.
type Document struct {
	Schema   string   `json:"schema"`
	A        Side     `json:"a"`
	B        Side     `json:"b"`
	Noise    string   `json:"noise"` // "between runs" or "within one run"
	Rate     float64  `json:"false_discovery_rate"`
	Least    float64  `json:"least_change_share"` // smaller changes count as unchanged
	Tested   int      `json:"tested"`
	FailOver *float64 `json:"fail_over_share"`
	Failed   []string `json:"failed"` // the items that became slower by more than the limit
	Warnings []string `json:"warnings"`
	Changes  []Change `json:"changes"`
	repeated bool

	order        string  // the order in which the runs were recorded; see orderOf
	unidentified float64 // change of the GPU time of kernels without identified times, per command buffer
}

// Compare compares the runs of two sides.
func Compare(a, b []*Run) (*Document, error) {
	if len(a) == 0 || len(b) == 0 {
		return nil, errors.New("comparing needs at least one run on each side")
	}
	d := &Document{Schema: Schema, A: side(a), B: side(b), Noise: "within one run", Rate: policy.FalseDiscovery.Value,
		Least: policy.ChangeWithinRun, Failed: []string{}, Warnings: []string{},
		Changes: []Change{}}
	if d.repeated = len(a)+len(b) >= policy.RepeatedRuns; d.repeated {
		d.Noise, d.Least = "between runs", policy.ChangeBetweenRuns
	}
	d.warn(a, b)
	d.order, d.unidentified = orderOf(a, b), unidentifiedPerBuffer(b)-unidentifiedPerBuffer(a)
	alike(slices.Concat(a, b))
	all := map[Key]bool{}
	for _, r := range slices.Concat(a, b) {
		for k := range r.measures {
			all[k] = true
		}
	}
	keys := slices.SortedFunc(maps.Keys(all),
		func(x, y Key) int { return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Name, y.Name)) })
	var p []float64
	var tested []int
	for _, k := range keys {
		c := d.change(k, a, b)
		if c.PValue != nil {
			p, tested = append(p, *c.PValue), append(tested, len(d.Changes))
		}
		d.Changes = append(d.Changes, c)
	}
	d.Tested = len(p)
	for i, q := range statistics.FalseDiscovery(p) {
		c := &d.Changes[tested[i]]
		c.QValue = &q
		if c.Status = Same; *c.Low < 1-policy.ChangeExcluded || *c.High > 1+policy.ChangeExcluded {
			c.Status = Unclear
		}
		if q <= d.Rate && math.Abs(*c.Ratio-1) >= d.Least {
			c.Status = Slower
			if *c.Ratio < 1 {
				c.Status = Faster
			}
			c.because((*c.Ratio-1)*c.A, a, b)
		}
	}
	slices.SortStableFunc(d.Changes, func(x, y Change) int {
		return cmp.Or(cmp.Compare(kindOrder[x.Kind], kindOrder[y.Kind]),
			cmp.Compare(math.Abs(y.Impact), math.Abs(x.Impact)))
	})
	return d, nil
}

// alike makes traces and reports comparable. A report has only means, so if one of the runs is a report, alike drops
// the values over time of all runs. They are then compared by their means.
func alike(runs []*Run) {
	if !slices.ContainsFunc(runs, func(r *Run) bool { return !r.whole }) {
		return
	}
	for _, r := range runs {
		for _, m := range r.measures {
			m.bins = nil
		}
	}
}

var kindOrder = map[Kind]int{KindToken: 0, KindRun: 1, KindThread: 2, KindKernel: 3, KindCall: 4}

func (c *Change) key() Key { return Key{c.Kind, c.Name} }

func side(runs []*Run) Side {
	s := Side{}
	for _, r := range runs {
		s.Paths = append(s.Paths, r.Path)
	}
	first := runs[0].Report
	s.Program, s.Args, s.Device = first.Source.Program, append([]string{}, first.Source.Args...),
		first.Source.Device
	var tokens []float64
	for _, r := range runs {
		if g := r.Report.Steps.Generation; g != nil && g.TokenNS.Count > 0 {
			tokens = append(tokens, float64(g.TokenNS.P50NS))
		}
	}
	if len(tokens) > 0 {
		s.TokenNS = int64(statistics.Median(tokens))
	}
	votes := map[string]int{}
	for _, r := range runs {
		votes[r.Report.Serialization.Verdict]++
	}
	for _, r := range runs { // of verdicts with equally many votes, the first one counts
		if v := r.Report.Serialization; votes[v.Verdict] > s.Agree {
			s.Verdict, s.Agree = v.Verdict, votes[v.Verdict]
		}
	}
	s.Summary = medianVerdict(runs, s.Verdict).Summary
	return s
}

func (d *Document) warn(a, b []*Run) {
	software := func(runs []*Run) bool {
		return slices.ContainsFunc(runs, func(r *Run) bool { return r.Report.Source.SoftwareMetal })
	}
	switch onA, onB := software(a), software(b); {
	case onA && onB:
		d.Warnings = append(d.Warnings,
			"SOFTWARE METAL: the times of A and B are those of a software Metal, not of a GPU")
	case onA:
		d.Warnings = append(d.Warnings,
			"SOFTWARE METAL: the times of A are those of a software Metal; the times of B are those of a GPU")
	case onB:
		d.Warnings = append(d.Warnings,
			"SOFTWARE METAL: the times of B are those of a software Metal; the times of A are those of a GPU")
	}
	if said := busy(a, b); said != "" {
		d.Warnings = append(d.Warnings, said)
	}
	if d.A.Device != d.B.Device {
		d.Warnings = append(d.Warnings, fmt.Sprintf("the devices differ: %q and %q", d.A.Device, d.B.Device))
	}
	for _, r := range slices.Concat(a, b) {
		switch l := r.Report.Lost; {
		case r.Report.Source.Incomplete != nil: // a warning below says that data is missing
		case l.AtLeast:
			d.Warnings = append(d.Warnings, fmt.Sprintf(
				"%s lost %d calls or more: its counts are too small", r.Path, l.Total))
		case l.Total > 0:
			d.Warnings = append(d.Warnings, fmt.Sprintf("%s lost %d calls: its counts are too small", r.Path, l.Total))
		}
		if selected := r.Report.Source.Selected; len(selected) > 0 {
			d.Warnings = append(d.Warnings, fmt.Sprintf("%s was recorded in part, as requested: %s", r.Path,
				strings.Join(selected, ", ")))
		}
		switch i := r.Report.Source.Incomplete; {
		case i != nil:
			d.Warnings = append(d.Warnings, fmt.Sprintf("%s is not whole: %s", r.Path, i.Text))
		case r.Report.Source.Truncated: // a report that an older mtrace wrote
			d.Warnings = append(d.Warnings, fmt.Sprintf("%s is truncated: it does not contain the end of the run", r.Path))
		}
	}
	if !d.repeated {
		d.Warnings = append(d.Warnings, "one run per side: the variation between runs is not known; "+
			"give several traces per side, so that it is measured")
	}
}

// change compares one quantity. If it made a test (PValue is not null), the caller sets Status after the tests of all
// quantities, because the false discovery rate depends on all of them.
func (d *Document) change(key Key, a, b []*Run) Change {
	ma, mb := of(a, key), of(b, key)
	c := Change{Kind: key.Kind, Name: key.Name, Status: Untested}
	c.CountA, c.MeanA, c.A = together(ma)
	c.CountB, c.MeanB, c.B = together(mb)
	c.Impact = (c.B - c.A) * float64(c.CountB) / float64(max(1, len(mb)))
	c.lost = perBuffer(mb, b) - perBuffer(ma, a)
	c.Minor = true
	for _, m := range slices.Concat(ma, mb) {
		c.Minor = c.Minor && m.share < policy.MinorShare
	}
	switch {
	case c.CountA == 0 && len(mb) < len(b), c.CountB == 0 && len(ma) < len(a):
		c.Why = "one side lacks it, and only some of the other side's runs have it"
		return c
	case c.CountA == 0:
		c.Status, c.Impact = Added, c.B*float64(c.CountB)/float64(len(mb))
		return c
	case c.CountB == 0:
		c.Status, c.Impact = Removed, -c.A*float64(c.CountA)/float64(len(ma))
		return c
	}
	var got comparison
	if d.repeated {
		if len(ma)+len(mb) < policy.RepeatedRuns {
			c.Why = "it is in too few of the runs"
			return c
		}
		got = means(each(ma), each(mb))
	} else {
		if ma[0].bins == nil || mb[0].bins == nil {
			c.Why = "a report does not have the variation within its run: compare the traces, or several reports per side"
			return c
		}
		ga, gb := ma[0].bins.groups(), mb[0].bins.groups()
		if ga == nil || gb == nil {
			c.Why = "too few values, or values that are too correlated with their neighbours in time"
			return c
		}
		got = ranks(ga, gb)
	}
	c.Ratio, c.Low, c.High, c.PValue = &got.ratio, &got.low, &got.high, &got.p
	return c
}

// of returns the measures of one compared item, such as a kernel, from those runs that have the item.
func of(runs []*Run, key Key) []*measure {
	var ms []*measure
	for _, r := range runs {
		if m := r.measures[key]; m != nil && m.count > 0 {
			ms = append(ms, m)
		}
	}
	return ms
}

// together returns the arithmetic mean of the runs' means, and the geometric mean of the runs' typical values. The test
// of repeated runs compares logarithms, so the ratio of two geometric means is the change that the test reports.
func together(ms []*measure) (count int64, mean, typical float64) {
	for _, m := range ms {
		count += m.count
		mean += m.mean / float64(len(ms))
	}
	if len(ms) == 0 {
		return count, mean, 0
	}
	sum, _ := moments(logs(each(ms)))
	return count, mean, math.Exp(sum)
}

// Columns explains the columns of the table: the values of A and B, and their ratio.
func (d *Document) Columns() string {
	if d.repeated {
		return "A and B are medians of a run, averaged over the runs (geometric mean); B/A is their ratio"
	}
	return "A and B are medians over time; B/A compares stretches of the two runs (median of all pairs), " +
		"so it can differ from the ratio of the medians"
}

// perBuffer returns the quantity's time per command buffer, as the mean over all runs; a run without the quantity
// counts as 0.
func perBuffer(ms []*measure, runs []*Run) (mean float64) {
	for _, m := range ms {
		mean += m.perBuffer / float64(len(runs))
	}
	return mean
}

func each(ms []*measure) []float64 {
	out := make([]float64, len(ms))
	for i, m := range ms {
		out[i] = m.typical()
	}
	return out
}

// Fail sets Failed, on which the exit status depends: the items that became slower by more than the share `over` and
// are not minor. It leaves out calls that wait for the GPU or for another thread's signal. Such calls take longer
// when a thread has less to do, and a real slowdown also shows in the run, in threads or in kernels. Fail returns an
// error if nothing could be tested, because then there is no decision.
func (d *Document) Fail(over float64) error {
	d.FailOver = &over
	for i := range d.Changes {
		c := &d.Changes[i]
		if c.Status == Slower && !c.Minor && !c.waits() && *c.Ratio-1 > over {
			d.Failed = append(d.Failed, c.name())
		}
	}
	if d.Tested == 0 {
		return errors.New("nothing could be compared: the runs have too little data to distinguish a change from noise")
	}
	return nil
}

// waits reports whether the compared item is a call that waits for the GPU or for another thread's signal.
func (c *Change) waits() bool {
	return c.Kind == KindCall && slices.ContainsFunc(wire.Table[:], func(r wire.Row) bool {
		return r.Selector == c.Name && (r.Group == wire.GroupWait || r.Family == wire.FamilySignal)
	})
}

// name returns the item's name with its kind in front, because a call and a kernel may have the same name.
func (c *Change) name() string { return fmt.Sprintf("%s %s", c.Kind, c.Name) }
