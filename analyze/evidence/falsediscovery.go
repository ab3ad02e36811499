package evidence

import "mtrace/analyze/statistics"

// adjustTests adjusts the p-values of all tests of the analysis together.
func (ev *Evidence) adjustTests() {
	var values []float64
	for _, e := range ev.Exclusion {
		values = append(values, e.PValue)
	}
	for _, i := range ev.Interference {
		values = append(values, i.PValue)
	}
	adjusted := statistics.FalseDiscovery(values)
	for i := range ev.Exclusion {
		ev.Exclusion[i].QValue = adjusted[i]
	}
	for i := range ev.Interference {
		ev.Interference[i].QValue = adjusted[len(ev.Exclusion)+i]
	}
}
