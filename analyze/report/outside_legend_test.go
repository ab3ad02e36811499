package report

import "testing"

// The legend of the table outside Metal explained columns that the table did not have.
func TestOutsideLegend(t *testing.T) {
	for _, c := range []struct {
		heads []string
		want  string
	}{
		{[]string{"running", "unknown"},
			"outside Metal, in % of the window; running: on a processor · unknown: in a call that is not recorded"},
		{[]string{"runnable", "file", "sleep"}, "outside Metal, in % of the window; " +
			"runnable: ready to run, without a processor · file, sleep: blocked in a recorded wait"},
	} {
		if got := outsideLegend(c.heads); got != c.want {
			t.Errorf("%q: got %q, want %q", c.heads, got, c.want)
		}
	}
}
