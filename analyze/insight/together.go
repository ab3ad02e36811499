package insight

import (
	"fmt"
	"slices"

	"mtrace/analyze"
)

// Together merges the insights of several ranges of a run. Each range is a sample of a longer one: `scale` has the
// ratios of their lengths, by which costs are multiplied before they are added up. `names` has the ranges' names for
// the reader. The sentences come from the first range that has the insight. A rule that was skipped in all ranges is
// listed once.
func Together(windows [][]Insight, scale []float64, names []string) (all []Insight) {
	times := map[string]int{}
	from := map[string]string{}
	for i, list := range windows {
		for _, found := range list {
			found.Cost = analyze.Nanos(float64(found.Cost) * scale[i])
			n := slices.IndexFunc(all, func(o Insight) bool {
				return o.ID == found.ID && (o.Severity == Skipped) == (found.Severity == Skipped)
			})
			if found.Severity != Skipped {
				times[found.ID]++
			}
			if n < 0 {
				all = append(all, found)
				from[found.ID] = names[i]
				continue
			}
			all[n].Cost += found.Cost
			if found.Severity == Warning {
				all[n].Severity = Warning
			}
		}
	}
	all = slices.DeleteFunc(all, func(o Insight) bool { return o.Severity == Skipped && times[o.ID] > 0 })
	for i := range all {
		if o := &all[i]; o.Severity != Skipped {
			o.Evidence = fmt.Sprintf("%s (in %d of %d ranges; these figures come from the range %s)",
				o.Evidence, times[o.ID], len(windows),
				from[o.ID])
		}
	}
	sortByImportance(all)
	return all
}
