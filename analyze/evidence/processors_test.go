package evidence

import "testing"

// TestConfinedTo tells of programs on a machine of 16 processors that no affinity and no quota kept from any. The demo with four threads used the time
// of 2.97 and 3.09 processors, a compute-bound one that of 7.29, one that spins that of 1.02; all were taken to be confined to so many, because that is
// next to a whole number. A replay on 3 processors was off by 68 %, so nothing was predicted, and what was the root was not known.
func TestConfinedTo(t *testing.T) {
	for _, c := range []struct {
		what         string
		used, waited float64
		machine      int
		want         bool
	}{
		{"the demo, by chance", 2.975, 0.16, 16, false},
		{"a thread that spins", 1.024, 0, 16, false},
		{"eight threads that compute", 7.29, 0.01, 16, false},
		{"four threads on one processor of two", 0.98, 3.2, 2, true},
		{"the same, of sixteen", 0.98, 3.46, 16, true},
		{"threads on all of the machine's", 1.95, 5, 2, false},
		{"they do not fill a number of processors", 1.44, 1.7, 4, false},
		{"threads that have the one of two that another program leaves them", 1.01, 3.2, 1, false},
	} {
		if got := confinedTo(c.used, c.waited, c.machine); got != c.want {
			t.Errorf("%s: confined %v, want %v", c.what, got, c.want)
		}
	}
}
