package insight

import (
	"slices"
	"testing"
)

// The notes came in the order of the rules. The default report shows the first ones: a program that leaked 193 MiB, and
// one that spent most of the GPU's time on copies, showed that their first iterations are slower.
func TestInsightsWithTheHighestCostComeFirst(t *testing.T) {
	found := []Insight{
		{ID: "skipped", Severity: Skipped},
		{ID: "unknown", Severity: Info},
		{ID: "cheap", Severity: Info, Cost: 10},
		{ID: "leak", Severity: Info, memory: true},
		{ID: "expensive", Severity: Info, Cost: 300},
		{ID: "warning", Severity: Warning, Cost: 20},
		{ID: "larger warning", Severity: Warning, Cost: 30},
	}
	sortByImportance(found)
	var got []string
	for _, i := range found {
		got = append(got, i.ID)
	}
	want := []string{"larger warning", "warning", "leak", "expensive", "cheap", "unknown", "skipped"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
