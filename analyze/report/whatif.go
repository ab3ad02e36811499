package report

import (
	"fmt"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/replay"
)

// A WhatIf is a prediction: how much faster the run would be if the time of an item were multiplied by Factor. A
// factor of 0 removes the item.
type WhatIf struct {
	What    Changed `json:"what"`
	Factor  float64 `json:"factor"`
	Speedup Gain    `json:"speedup"`
}

// Changed names what takes less time.
type Changed struct {
	// "kernel", "call", "lock", "thread", "cause", "in-flight", "merge", or "together" for all changes requested with
	// --what-if
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// A Gain is a predicted speed-up with its interval; 2 means twice as fast.
type Gain struct {
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

func whatIf(g replay.Gain) WhatIf {
	low, high := g.Interval()
	return WhatIf{Changed{g.Kind, g.Name}, g.Factor, Gain{g.Estimate, low, high}}
}

// helps are the predicted gains.
type helps struct {
	gains        []WhatIf
	notPredicted string // why requested changes are not predicted
	unmatched    error  // a requested change that matches nothing in the trace
}

// whatHelps returns the predicted gains: of the changes requested with --what-if first, then of those that gain most.
func whatHelps(a *cause.Analysis, wanted []replay.Wanted) helps {
	h := helps{gains: list(a.Gains(), whatIf)}
	if len(wanted) == 0 {
		return h
	}
	g, why, err := a.Predict(wanted)
	switch {
	case err != nil:
		h.unmatched = err
	case why != "":
		h.notPredicted = why
	default:
		h.gains = append([]WhatIf{whatIf(g)}, h.gains...)
	}
	return h
}

// buildWhatIf adds the predicted gains to the report.
func buildWhatIf(r *Report, h helps) {
	r.WhatIf, r.WhatIfNotPredicted, r.unmatched = h.gains, h.notPredicted, h.unmatched
}

// Unmatched returns an error if a change requested with --what-if matches nothing in the trace; nil otherwise.
func (r *Report) Unmatched() error { return r.unmatched }

// A help is a row of the table "what would help": the predicted gain if one item, such as a kernel, took less time,
// with one column per factor.
type help struct {
	Changed
	Gains [4]string // the gains as text, one for each of helpFactors
}

// helpFactors are the factors for the columns of the table: 10%, 25% and 50% shorter, and removed.
var helpFactors = [4]float64{0.9, 0.75, 0.5, 0}

// helpTitles are the titles of changes that do more than shorten an item. Other changes are titled with their kind
// and name.
var helpTitles = map[string]string{replay.KindInFlight: "keep %s rounds in flight",
	replay.KindMerge: "merge %s command buffers into one", "cause": "remove cause %s"}

// Title is the change in the table.
func (h help) Title() string {
	if title := helpTitles[h.Kind]; title != "" {
		return fmt.Sprintf(title, h.Name)
	}
	if h.Kind == replay.KindLock {
		return analyze.LockTitle(h.Name)
	}
	return h.Kind + " " + h.Name
}

// removalsNote explains why removing a cause and shortening a lock or kernel have different gains. It is empty unless
// the table has rows of both kinds.
func removalsNote(rows []help) string {
	has := func(kind string) bool { return slices.ContainsFunc(rows, func(h help) bool { return h.Kind == kind }) }
	switch {
	case !has(cause.KindCause):
		return ""
	case has(replay.KindLock):
		return "All factors are speed-ups of the whole run. " +
			"Removing a cause removes all its waits and the delays that follow them; " +
			"the row of a lock changes only how long that lock is held."
	case len(rows) > 1:
		return "All factors are speed-ups of the whole run. Removing a cause removes all its waits; " +
			"the other rows change only the item that they name."
	}
	return ""
}

// Helps returns the rows of the table.
func (r *Report) Helps() (rows []help) {
	at := map[Changed]int{}
	for _, w := range r.WhatIf {
		if w.What.Kind == together {
			continue
		}
		i, known := at[w.What]
		if !known {
			i = len(rows)
			at[w.What] = i
			rows = append(rows, help{w.What, [4]string{"·", "·", "·", "·"}})
		}
		for k, f := range helpFactors {
			if f == w.Factor {
				rows[i].Gains[k] = w.Speedup.text()
			}
		}
	}
	return rows
}

// together is the kind of the prediction that combines all changes requested with --what-if.
const together = "together"

func (g Gain) text() string {
	return fmt.Sprintf("%s (%s-%s)", FormatSpeedup(g.Estimate), factor(g.Low), factor(g.High))
}

// Asked returns a sentence with the gain of the changes requested with --what-if, or why it is not predicted; empty
// if none was requested.
func (r *Report) Asked() string {
	switch {
	case r.WhatIfNotPredicted != "":
		return "The requested change is not predicted: " + r.WhatIfNotPredicted + "."
	case len(r.WhatIf) > 0 && r.WhatIf[0].What.Kind == together:
		w := &r.WhatIf[0]
		return fmt.Sprintf("With %s the run is predicted to be %s.", w.What.Name, w.Speedup.faster())
	}
	return ""
}

func writeWhatIf(w *sheet, r *Report) {
	rows, asked := r.Helps(), r.Asked()
	if len(rows) == 0 && asked == "" {
		return
	}
	writeHeading(w, "what would help", r.HelpsTitle())
	if asked != "" {
		wrap(w, asked, "  ", "  ")
	}
	if len(rows) == 0 {
		return
	}
	t := &table{heads: []string{"what", "10% shorter", "25% shorter", "50% shorter", "gone or done"}, left: 1,
		most: w.rows(mostRows), spare: []int{1, 2}}
	for _, h := range rows {
		t.add(h.Title(), h.Gains[0], h.Gains[1], h.Gains[2], h.Gains[3])
	}
	t.write(w)
	if note := removalsNote(rows); note != "" {
		wrap(w, note, "  ", "  ")
	}
}

// HelpsNote is the remark below the table on the page.
func (r *Report) HelpsNote() string { return removalsNote(r.Helps()) }
