package serial

import "mtrace/analyze/statistics"

// adjustTests adjusts the p-values of all tests of the analysis together.
func (a *Analysis) adjustTests() {
	var values []float64
	for _, e := range a.Exclusion {
		values = append(values, e.PValue)
	}
	for _, i := range a.Interference {
		values = append(values, i.PValue)
	}
	adjusted := statistics.FalseDiscovery(values)
	for i := range a.Exclusion {
		a.Exclusion[i].QValue = adjusted[i]
	}
	for i := range a.Interference {
		a.Interference[i].QValue = adjusted[len(a.Exclusion)+i]
	}
}
