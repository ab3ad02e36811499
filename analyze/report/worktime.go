package report

import (
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/policy"
)

// workTime returns the time that shares and predictions are about. A verdict whose cost is not a share of the threads'
// working time is about the whole window, because it includes what happened before the first command buffer.
func (r *Report) workTime(a *cause.Analysis) int64 {
	if v := &a.Verdict; len(v.Causes) > 0 && v.Causes[0].Cause == v.Cause && v.Causes[0].Of > 0 {
		return r.Source.WindowNS
	}
	return int64(a.Totals.Times.WorkRange().Length())
}

// shortWork reports whether the verdict and the predictions are about less than half of the run, because the program
// spent most of it before its first command buffer or after its last wait: for example, it loaded a
// file. A verdict with phases is about all of them.
func (r *Report) shortWork() bool {
	s := &r.Serialization
	return s.Confidence > 0 && len(s.Phases) == 0 && s.WorkNS > 0 &&
		!policy.AtLeast(policy.Majority, s.WorkNS, r.Source.WindowNS)
}

// WorkLine returns a sentence with the time that the verdict is about if that is less than half of the run; otherwise
// "".
func (r *Report) WorkLine() string {
	if !r.shortWork() {
		return ""
	}
	return fmt.Sprintf("This is about the %s from the first command buffer to the last commit or wait, %s of the run; "+
		"the time before and after it does not count.", ns(r.Serialization.WorkNS),
		analyze.FormatShare(float64(r.Serialization.WorkNS)/float64(r.Source.WindowNS)))
}

// HelpsTitle returns what the gains in the table "what would help" are gains of.
func (r *Report) HelpsTitle() string {
	if r.shortWork() {
		return fmt.Sprintf("predicted speed-up of the %s with GPU work by each change", ns(r.Serialization.WorkNS))
	}
	return "predicted speed-up of the run by each change"
}
