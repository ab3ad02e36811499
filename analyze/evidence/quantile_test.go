package evidence

import (
	"slices"
	"testing"

	"mtrace/analyze"
)

// The median once sorted what it was given, and a caller read a percentile out of its own list because of that.
func TestTypicalLeavesTheListAsItIs(t *testing.T) {
	list := []analyze.Nanos{5, 1, 4, 2, 3, 6}
	was := slices.Clone(list)
	if m, q, s := Median(list), Quickest(list, 6), SpreadOf(list); m != 4 || q != 2 || s != 3 || !slices.Equal(list, was) {
		t.Errorf("median %d, quickest %d, spread %d, and the list is %v", m, q, s, list)
	}
	if Median(nil) != 0 {
		t.Error("nothing has a median")
	}
}
