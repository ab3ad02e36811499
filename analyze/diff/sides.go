package diff

import (
	"cmp"
	"fmt"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/analyze/report"
	"mtrace/analyze/statistics"
)

// medianVerdict selects, of the runs with the given verdict, the one whose share is the median, and returns that run's
// verdict.
func medianVerdict(runs []*Run, verdict string) report.Serialization {
	var list []report.Serialization
	for _, r := range runs {
		if r.Report.Serialization.Verdict == verdict {
			list = append(list, r.Report.Serialization)
		}
	}
	slices.SortStableFunc(list, func(x, y report.Serialization) int { return cmp.Compare(x.Share, y.Share) })
	return list[(len(list)-1)/2]
}

// summary returns the sentence that explains the side's verdict, after the side's letter. If the side has several runs,
// it also names the run from which the sentence is. It returns "" if there is no sentence.
func (s Side) summary(letter string) string {
	if s.Summary == "" {
		return ""
	}
	if len(s.Paths) > 1 {
		letter += fmt.Sprintf(" (the median of %s)", analyze.Plural(s.Agree, "run"))
	}
	return letter + ": " + s.Summary
}

// Runs returns how many runs each side has and in which order they were recorded: "5 runs a side, in turns". It is
// empty for one run a side.
func (d *Document) Runs() string {
	a, b := len(d.A.Paths), len(d.B.Paths)
	text := fmt.Sprintf("%s of A and %d of B", analyze.Plural(a, "run"), b)
	switch {
	case a <= 1 && b <= 1:
		return ""
	case a == b:
		text = fmt.Sprintf("%d runs a side", a)
	}
	if d.order != "" {
		text += ", " + d.order
	}
	return text
}

// orderOf returns whether the runs of the two sides alternated in time: "in turns", or which side was recorded first;
// "" if it is neither, or if the times are not known.
func orderOf(a, b []*Run) string {
	type start struct {
		run *Run
		ofB bool
	}
	var list []start
	for _, r := range a {
		list = append(list, start{r, false})
	}
	for _, r := range b {
		list = append(list, start{r, true})
	}
	for _, s := range list {
		if at := s.run.Report.Source.Started; at.IsZero() || at.Unix() <= 0 {
			return ""
		}
	}
	slices.SortStableFunc(list, func(x, y start) int {
		return x.run.Report.Source.Started.Compare(y.run.Report.Source.Started)
	})
	changes := 0
	for i := range list[1:] {
		if list[i].ofB != list[i+1].ofB {
			changes++
		}
	}
	switch {
	case changes > 1 && changes >= min(len(a), len(b)):
		return "in turns"
	case changes == 1 && list[0].ofB:
		return "those of B first"
	case changes == 1:
		return "those of A first"
	}
	return ""
}

// busy returns a warning if other programs used so much of the machine's processors that they may have slowed down the
// compared runs; "" otherwise.
func busy(a, b []*Run) string {
	var shares [2][]float64
	loud := 0
	for i, runs := range [][]*Run{a, b} {
		for _, r := range runs {
			if share := r.Report.Source.OthersShare; share != nil {
				shares[i] = append(shares[i], *share)
				if *share >= policy.WorthNaming.Value {
					loud++
				}
			}
		}
	}
	if loud == 0 {
		return ""
	}
	used := func(i int) string {
		if len(shares[i]) == 0 {
			return "an unknown share"
		}
		return analyze.FormatShare(statistics.Median(shares[i]))
	}
	median := ""
	if len(a) > 1 || len(b) > 1 {
		median = fmt.Sprintf(" (medians; %d of %d runs)", loud, len(a)+len(b))
	}
	return fmt.Sprintf("BUSY MACHINE: other programs used %s of the machine's processors in A and %s in B%s; "+
		"work on processors is faster without them", used(0), used(1), median)
}

// unidentifiedPerBuffer returns the GPU time of kernels whose times are not identified, per command buffer, as the mean
// over the runs. Only their sum is known.
func unidentifiedPerBuffer(runs []*Run) (mean float64) {
	for _, r := range runs {
		mean += r.unidentified / float64(len(runs))
	}
	return mean
}
