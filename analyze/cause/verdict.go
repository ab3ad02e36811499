package cause

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay"
)

// A Verdict names the cause that explains most of the lost thread time, with all findings.
type Verdict struct {
	Cause      string
	Share      float64   // share of thread time that Cause costs; if Cause is None, share lost to an external process
	Confidence float64   // 0…1
	Summary    string    // one sentence
	Causes     []Finding // the causes that hold, the most important first
	RuledOut   []Finding // the causes that do not hold
	// faults that may matter as much as Cause: their predicted gains (or their costs, without predictions) differ from
	// those of Cause by less than the error
	CloseCalls []string
	// the gain of removing the two largest causes together; nil unless two causes were replayed
	Together *Together
}

// Together is the predicted speedup if two causes were removed at the same time.
type Together struct {
	Causes [2]string
	replay.Speedup
}

// ask applies the rule of each cause. It returns the causes that hold, sorted, and those that are ruled out.
func ask(ev *evidence.Evidence) (v Verdict) {
	for i := range causes {
		if found := causes[i].rule(ev); found.Present {
			v.Causes = append(v.Causes, found)
		} else {
			v.RuledOut = append(v.RuledOut, found)
		}
	}
	v.sort(ev)
	return v
}

// sort sorts the causes for the verdict: first faults that are worth naming, then limits of the machine, then all
// others (see rank). Faults worth naming are ordered by the time that their removal saves, others by their cost.
func (v *Verdict) sort(ev *evidence.Evidence) {
	slices.SortStableFunc(v.Causes, func(x, y Finding) int {
		saved := 0
		if x.rank(ev) == 0 && y.rank(ev) == 0 {
			saved = cmp.Compare(y.saves(ev), x.saves(ev))
		}
		return cmp.Or(cmp.Compare(x.rank(ev), y.rank(ev)), saved, cmp.Compare(y.Weight(), x.Weight()))
	})
}

// saves returns the share of the run's time that removing the cause saves. It takes the middle between the
// prediction's estimate and its low end, because the low end alone would rank a small but precise gain above a large
// one. Without a prediction, it returns the share of the threads' time that the cause explains. That share is also
// the maximum if the change models a better machine.
func (f *Finding) saves(ev *evidence.Evidence) float64 {
	share := min(1, ev.Submitters.Share(f.Weight()))
	if f.Speedup == nil {
		return share
	}
	saved := 1 - 1/max(1, math.Sqrt(f.Speedup.Least()*f.Speedup.Estimate))
	if f.row().better {
		return min(share, saved)
	}
	return saved
}

// decide chooses the verdict: the largest fault that is worth naming, else the largest limit of the machine, else
// None.
func (v *Verdict) decide(ev *evidence.Evidence) {
	v.Cause = None
	v.sort(ev)
	if reason := v.tooLittle(ev); reason != "" {
		v.RuledOut = nil // a trace with next to no data rules nothing out
		v.Summary = "Not enough data for a verdict: " + reason + "."
		return
	}
	beside := 0
	for beside < len(v.Causes) && v.Causes[beside].Standing == Aside {
		beside++
	}
	if beside > 0 { // faults that cost time only to threads that submit next to nothing come last
		v.Causes = append(slices.Clone(v.Causes[beside:]), v.Causes[:beside]...)
	}
	if beside == len(v.Causes) || !v.Causes[0].worthNaming(ev) {
		v.Confidence = trust(ev.Trace, policy.ConfidenceNoCause)
		if v.Summary = noCause(ev); len(v.Causes) > beside {
			if waitsOnGPU(ev) == nil {
				v.tellUnproven(ev)
			}
		} else if beside > 0 {
			h := &v.Causes[len(v.Causes)-beside]
			v.Summary = fmt.Sprintf("Threads that submit next to nothing lose %s of all thread time to %s; "+
				"the submitting threads have work in flight for %s of their time, "+
				"and this trace shows nothing that delays the submitting threads.",
				percent(ev.Submitters.Share(h.Weight())), h.Cause, percent(ev.Submitters.Occupied))
		}
		return
	}
	v.choose(ev)
}

// tellUnproven changes the summary if the most expensive cause was rejected only because its predicted gain is not
// proven. The new summary names that cause.
func (v *Verdict) tellUnproven(ev *evidence.Evidence) {
	var most *Finding
	for f := range analyze.Each(v.Causes) {
		if f.Standing == Fault && !f.proven() && (most == nil || f.Lost > most.Lost) {
			most = f
		}
	}
	if most != nil && most.Lost > ev.Starvation.Outside && ev.Submitters.Share(most.Lost) >= policy.WorthNaming.Value {
		v.Summary = fmt.Sprintf("Threads spend %s of their time in what looks like %s, "+
			"but nothing shows that the run would be faster without it%s.",
			percent(ev.Submitters.Share(most.Lost)), most.Cause, busyWords(ev, ": the GPU was busy for %s"))
	}
}

// choose makes the first cause in the list the verdict. The confidence is lower, the closer the second cause's cost
// is.
func (v *Verdict) choose(ev *evidence.Evidence) {
	top := &v.Causes[0]
	if v.Share = top.Share(ev.Submitters.Time); top.Standing != Outside {
		v.Cause = top.Cause
	}
	margin := 1.0
	if len(v.Causes) > 1 && v.Causes[1].rank(ev) == top.rank(ev) {
		margin = 1 - min(1, evidence.Share(v.Causes[1].Weight(), top.Weight()))
	}
	v.Confidence = trust(ev.Trace, top.Confidence*(policy.RivalFactor+(1-policy.RivalFactor)*margin))
	v.Summary = top.Summary
	v.findCloseCalls(ev)
}

// findCloseCalls lists the faults whose gain is as large as the verdict's within the error, so that either could be
// the main one.
func (v *Verdict) findCloseCalls(ev *evidence.Evidence) {
	v.CloseCalls = nil
	top := &v.Causes[0]
	for c := range analyze.Each(v.Causes[1:]) {
		if top.Standing == Fault && c.Standing == Fault && c.worthNaming(ev) && top.sameGain(c, ev.Submitters.Time) {
			v.CloseCalls = append(v.CloseCalls, c.Cause)
		}
	}
}

// sameGain reports whether two faults cannot be told apart: each predicted gain is within the other's interval or,
// without predictions, their costs are about equal. `total` is the threads' working time.
func (f *Finding) sameGain(o *Finding, total analyze.Nanos) bool {
	x, y := f.Speedup, o.Speedup
	if x == nil || y == nil {
		return !policy.MoreThan(policy.RunToRunVariation, max(f.Lost-o.Lost, o.Lost-f.Lost), total)
	}
	return within(x, y) && within(y, x)
}

// within reports whether x's estimate lies in y's interval.
func within(x, y *replay.Speedup) bool { return x.Estimate >= y.Least() && x.Estimate <= y.High }

// sortCauses sorts the findings after the first, which the verdict is about, by the cost that the report shows: faults
// first, then limits of the machine. If the first finding is outside of the program, the verdict's cause is None, but
// the finding still stays first.
func (v *Verdict) sortCauses() {
	rest := v.Causes
	if len(rest) > 0 && (rest[0].Cause == v.Cause || v.Share > 0 && rest[0].Standing == Outside) {
		rest = rest[1:]
	}
	slices.SortStableFunc(rest, func(x, y Finding) int {
		if xLimit := x.Standing == Limit; xLimit != (y.Standing == Limit) {
			if xLimit {
				return 1
			}
			return -1
		}
		return cmp.Compare(y.Lost, x.Lost)
	})
}

// rank returns the order of a finding by its kind: 0 for faults worth naming, 1 for limits of the machine, 2 for
// others.
func (f *Finding) rank(ev *evidence.Evidence) int {
	switch {
	case f.Standing == Limit:
		return 1
	case f.Standing != Aside && f.worthNaming(ev):
		return 0
	}
	return 2
}

// worthNaming reports whether the cause is large enough for a verdict: its share of the threads' time plus the share
// of the run that its removal certainly saves. Both are needed: a pool of threads that waits for its producer for a
// tenth of its time may be six times slower because of that. A cause that is not proven is never worth naming.
// Without predictions, the cost alone decides.
func (f *Finding) worthNaming(ev *evidence.Evidence) bool {
	if !f.proven() {
		return false
	}
	costs, saved := ev.Submitters.Share(f.Weight()), 0.0
	if f.Speedup != nil && costs >= policy.ChanceShare.Value {
		saved = max(0, 1-1/f.Speedup.Low)
	}
	return costs+saved >= policy.WorthNaming.Value
}

// confess adds a sentence to the summary for each thing that the tracer knows it did not see.
func (v *Verdict) confess(ev *evidence.Evidence) {
	v.hedge(ev.Trace)
	if others := otherDevices(ev); others != "" {
		v.Summary += fmt.Sprintf(" The GPU figures are for %s, for which threads wait most; %s.",
			deviceName(ev.Occupancy.Busiest.Device), others)
	}
	if commits := analyze.CommitAudit(ev.Trace); commits.Seen < commits.Made {
		v.Summary += fmt.Sprintf(" But the tracer saw only %d of %d commits: the verdict covers only those.",
			commits.Seen, commits.Made)
	}
}

// hedge warns in the summary if only selected calls were recorded, or if waits for locks and signals were not
// recorded. It also removes causes from RuledOut that only the missing records could show.
func (v *Verdict) hedge(t *analyze.Trace) {
	if t.Source.WaitsUnseen > 0 {
		v.RuledOut = slices.DeleteFunc(v.RuledOut, func(f Finding) bool { return f.row().shownByWaits })
		v.Summary += " But waits for locks and signals are not recorded, so threads may wait for each other unseen."
	}
	if len(t.Source.Selected) == 0 {
		return
	}
	v.RuledOut = nil
	v.Summary += fmt.Sprintf(" But only a selection was recorded (%s): "+
		"the verdict covers only that, and calls that were left out may have another cause.",
		strings.Join(t.Source.Selected, ", "))
}

// otherDevices describes how busy the other GPUs were, which the verdict is not about; "" if there are none.
func otherDevices(ev *evidence.Evidence) string {
	var words []string
	for _, d := range ev.GPU.Devices {
		if d.Device != ev.Occupancy.Busiest.Device {
			words = append(words, fmt.Sprintf("%s was busy for %s", deviceName(d.Device),
				percent(evidence.Share(d.Busy, d.Active.Length()))))
		}
	}
	return strings.Join(words, ", ")
}

func deviceName(d *analyze.Device) string {
	if d == nil {
		return "an unknown device"
	}
	return fmt.Sprintf("%q", d.Name)
}

// tooLittle returns why the trace has too little data for a verdict, or "".
func (v *Verdict) tooLittle(ev *evidence.Evidence) string {
	failed := allFailed(ev.Trace)
	switch {
	case failed != "":
		return failed
	case len(ev.Trace.CommandBuffers) == 0:
		return "no work was submitted to the GPU (the trace has no command buffer)"
	case ev.Submitters.Time == 0:
		return "no thread submitted GPU work or waited for it"
	case policy.MoreThan(policy.Majority, ev.Trace.Recording.Lost.Records, ev.Trace.Events):
		text := fmt.Sprintf("the trace has %d calls, and %d records of calls were lost, possibly those that matter",
			ev.Trace.Events, ev.Trace.Recording.Lost.Records)
		if ev.Trace.Recording.Lost.Ringless < ev.Trace.Recording.Lost.Records {
			text += "; record with --on-full block"
		}
		return text
	case len(ev.Trace.CommandBuffers) < policy.FewestOccurrences.Count() &&
		!policy.AtLeast(policy.Majority, v.lost(CompileBound),
			ev.Submitters.Time):
		return fmt.Sprintf("the trace has %s, which is too few",
			analyze.Plural(len(ev.Trace.CommandBuffers), "command buffer"))
	}
	return ""
}

// trust returns the confidence c, reduced if the trace is incomplete or has few command buffers.
func trust(t *analyze.Trace, c float64) float64 {
	// A share that is measured on n command buffers has an error of up to 1/√n.
	if n := len(t.CommandBuffers); n > 0 {
		c *= 1 - max(0, 1/math.Sqrt(float64(n))-policy.WorthNaming.Value)
	}
	if t.Source.Truncated || len(t.Source.Selected) > 0 {
		c *= 1 - policy.ExceptionShare.Value
	}
	if seen, known := analyze.CommitAudit(t).Share(); known {
		c *= seen
	}
	if t.Recording.Lost.Records > 0 {
		c *= 1 - min(0.5, 5*float64(t.Recording.Lost.Records)/float64(t.Events+t.Recording.Lost.Records))
	}
	return c
}

// lost returns the thread time that a cause costs, or 0 if the cause does not hold.
func (v *Verdict) lost(cause string) analyze.Nanos {
	if f := v.finding(cause); f != nil {
		return f.Lost
	}
	return 0
}

// finding returns what a rule found about a cause, or nil if the cause does not hold.
func (v *Verdict) finding(cause string) *Finding {
	if i := slices.IndexFunc(v.Causes, func(f Finding) bool { return f.Cause == cause }); i >= 0 {
		return &v.Causes[i]
	}
	return nil
}
