package analyze

import (
	"strings"
	"testing"

	"mtrace/collector/tracefile"
)

// Losses are counted in records, and many calls have two records. A damaged file had 330 of 4,534 calls. The first line
// reported 7,409 missing calls, and a warning reported counts as too small by 7,409.
func TestMissingIsSaidInRecords(t *testing.T) {
	for _, c := range []struct {
		lost     Loss
		headline string
		warning  string
	}{
		{Loss{Records: 7409}, "CUT: 330 calls are here, 7,409 records missing (a call has one or two)",
			"7,409 records lost (a call has one or two records): the lost calls are missing"},
		{Loss{Records: 1, AtLeast: true}, "CUT: 330 calls are here, 1 record known to be missing (a call has one or two); " +
			"how many more are missing is not known", "1 record lost"},
		{Loss{AtLeast: true}, "CUT: 330 calls are here, and the number of missing calls is not known", ""},
		{Loss{}, "CUT: 330 calls are here, and none is missing", ""},
	} {
		trace := &Trace{Events: 330, Recording: Recording{Lost: c.lost}, Source: Source{Short: &Shortfall{Kind: Cut}}}
		if got := Headline(trace); got != c.headline {
			t.Errorf("%+v: %s", c.lost, got)
		}
		addWarnings((&loader{trace: trace}), &tracefile.Reader{})
		if got := strings.Join(trace.Warnings, "\n"); !strings.Contains(got, c.warning) || c.warning == "" &&
			strings.Contains(got, " lost") {
			t.Errorf("%+v: %q", c.lost, got)
		}
	}
}
