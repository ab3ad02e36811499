package report

import (
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// shortWork reports whether the verdict and the predictions are about less than half of the run, because the program
// spent most of it before its first command buffer or after its last wait: for example, it loaded a file.
func (r *Report) shortWork() bool {
	s := &r.Serialization
	return s.Confidence > 0 && s.WorkNS > 0 && !policy.AtLeast(policy.Majority, s.WorkNS, r.Source.WindowNS)
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
