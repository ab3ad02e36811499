package report

import (
	"fmt"
	"testing"
)

// TestRunNames: traces of equal names in several folders are distinguished. For before/1.mtrace and after/1.mtrace the
// table had two lines of "1.mtrace".
func TestRunNames(t *testing.T) {
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{[]string{"before/1.mtrace", "before/2.mtrace"}, "[1.mtrace 2.mtrace]"},
		{[]string{"before/1.mtrace", "after/1.mtrace", "after/2.mtrace"}, "[before/1.mtrace after/1.mtrace after/2.mtrace]"},
		{[]string{"/a/x/1.mtrace", "/b/x/1.mtrace"}, "[a/x/1.mtrace b/x/1.mtrace]"},
		{[]string{"1.mtrace", "./1.mtrace"}, "[1.mtrace 1.mtrace]"},
	} {
		var runs []*Report
		for _, p := range c.paths {
			runs = append(runs, &Report{Source: Source{Path: p}})
		}
		if got := fmt.Sprint(runNames(runs)); got != c.want {
			t.Errorf("%q are called %s, not %s", c.paths, got, c.want)
		}
	}
}
