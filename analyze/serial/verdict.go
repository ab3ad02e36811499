package serial

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A Verdict names the cause that explains the most lost thread time.
type Verdict struct {
	Cause      string
	Share      float64   // of the threads' time; with None, what the program loses to another one
	Confidence float64   // 0…1
	Summary    string    // one sentence
	Causes     []Finding // those that hold, the largest first
	RuledOut   []Finding // those that do not
	Together   *Together // what removing the two largest would bring; nil when there are not two, or they were not replayed
}

// Together is the predicted speed-up if two causes were removed.
type Together struct {
	Causes [2]string
	Speedup
}

// decide asks each rule and takes the cause that explains the most.
func (a *Analysis) decide(f *facts) {
	v := &a.Verdict
	v.Cause = None
	for _, r := range rules {
		if found := r(a, f); found.Holds {
			f.found[found.Cause] = found.Lost
			v.Causes = append(v.Causes, found)
		} else {
			v.RuledOut = append(v.RuledOut, found)
		}
	}
	slices.SortStableFunc(v.Causes, func(x, y Finding) int {
		return cmp.Or(cmp.Compare(x.rank(f), y.rank(f)), compare(y.weight(), x.weight()))
	})
	if reason := a.tooLittle(f); reason != "" {
		v.Summary = "Not enough data for a verdict: " + reason + "."
		return
	}
	beside := 0
	for beside < len(v.Causes) && v.Causes[beside].beside(f) {
		beside++
	}
	if beside > 0 { // they are told last, whatever they cost threads that have no part in the rest
		v.Causes = append(slices.Clone(v.Causes[beside:]), v.Causes[:beside]...)
	}
	if beside == len(v.Causes) || f.share(v.Causes[0].weight()) < policy.WorthNaming.Value {
		v.Confidence = a.trust(policy.Nothing)
		if v.Summary = a.noCause(f); beside > 0 {
			h := &v.Causes[len(v.Causes)-beside]
			v.Summary = fmt.Sprintf("Threads that submit next to nothing lose %s of all thread time to %s; those that submit have work in flight for %s of theirs, and nothing serializes them that this trace can show.",
				percent(f.share(h.Lost)), h.Cause, percent(f.occupied))
		}
		return
	}
	top := &v.Causes[0]
	if v.Share = min(1, f.share(top.Lost)); !top.outside {
		v.Cause = top.Cause
	}
	margin := 1.0
	if len(v.Causes) > 1 && v.Causes[1].rank(f) == top.rank(f) {
		margin = 1 - min(1, share(v.Causes[1].weight(), top.weight()))
	}
	v.Confidence = a.trust(top.Confidence * (0.6 + 0.4*margin))
	v.Summary = summaries[top.Cause](a, f, top)
}

// rank puts faults of the program that are worth naming before limits of the machine, and these before what is not worth naming.
func (f *Finding) rank(all *facts) int {
	switch {
	case f.limit:
		return 1
	case all.share(f.weight()) >= policy.WorthNaming.Value && !f.beside(all):
		return 0
	}
	return 2
}

// beside says whether what threads wait for is not what the GPU's work waits for: they submit next to nothing, and those that do
// submit have work in flight all the while.
func (f *Finding) beside(all *facts) bool {
	return f.aside && all.occupied >= policy.Busy.Value && (f.Cause == LockContention || f.Cause == CompileBound)
}

// confess adds to the verdict that the tracer did not see everything, where it knows that.
func (a *Analysis) confess(f *facts) {
	if others := a.otherDevices(f); others != "" {
		a.Verdict.Summary += fmt.Sprintf(" What is said of the GPU is of %s, which threads wait for most; %s.", deviceName(f.busiest.Device), others)
	}
	if commits := a.Trace.Commits(); commits.Seen < commits.Made {
		a.Verdict.Summary += fmt.Sprintf(" But the tracer saw only %d of %d commits: this is about those.", commits.Seen, commits.Made)
	}
}

// otherDevices says how busy the GPUs were that the verdict is not about; empty when there are none.
func (a *Analysis) otherDevices(f *facts) string {
	var words []string
	for _, d := range a.GPU.Devices {
		if d.Device != f.busiest.Device {
			words = append(words, fmt.Sprintf("%s was busy for %s", deviceName(d.Device), percent(share(d.Busy, d.Active.Length()))))
		}
	}
	return strings.Join(words, ", ")
}

func deviceName(d *analyze.Device) string {
	if d == nil {
		return "a device that is not known"
	}
	return fmt.Sprintf("%q", d.Name)
}

// tooLittle says what is missing for a verdict; empty when nothing is.
func (a *Analysis) tooLittle(f *facts) string {
	switch {
	case len(a.Trace.CommandBuffers) == 0:
		return "there is no command buffer in the trace"
	case f.total == 0:
		return "no thread committed or waited"
	case policy.MoreThan(policy.Most, a.Trace.Lost.Records, a.Trace.Events):
		return fmt.Sprintf("%d of %d calls were lost, among them, it may be, those that matter; record with --on-full block", a.Trace.Lost.Records, a.Trace.Events+a.Trace.Lost.Records)
	case len(a.Trace.CommandBuffers) < policy.Pattern.Count() && !policy.AtLeast(policy.Most, f.found[CompileBound], f.total):
		return fmt.Sprintf("%d command buffers are too few", len(a.Trace.CommandBuffers))
	}
	return ""
}

// trust lowers a confidence when the trace is not whole.
func (a *Analysis) trust(c float64) float64 {
	t := a.Trace
	if t.Source.Truncated {
		c *= policy.NearlyAll.Value
	}
	if seen, known := t.Commits().Share(); known {
		c *= seen
	}
	if t.Lost.Records > 0 {
		c *= 1 - min(0.5, 5*float64(t.Lost.Records)/float64(t.Events+t.Lost.Records))
	}
	return c
}
