package serial

// falseDiscovery is the rate of false discoveries among the tests that are taken to speak.
const falseDiscovery = 0.05

// adjust replaces p-values by those of Benjamini and Hochberg: among the tests whose adjusted value is at most q, a share of q
// is expected to be false, however many were made. Y. Benjamini, Y. Hochberg, Controlling the False Discovery Rate, 1995.
func adjust(values []float64) []float64 {
	order := inOrder(values)
	adjusted := make([]float64, len(values))
	least := 1.0
	for rank := len(order); rank > 0; rank-- {
		i := order[rank-1]
		least = min(least, values[i]*float64(len(values))/float64(rank))
		adjusted[i] = least
	}
	return adjusted
}

// adjustTests adjusts the p-values of all tests of the analysis together.
func (a *Analysis) adjustTests() {
	var values []float64
	for _, e := range a.Exclusion {
		values = append(values, e.PValue)
	}
	for _, i := range a.Interference {
		values = append(values, i.PValue)
	}
	adjusted := adjust(values)
	for i := range a.Exclusion {
		a.Exclusion[i].QValue = adjusted[i]
	}
	for i := range a.Interference {
		a.Interference[i].QValue = adjusted[len(a.Exclusion)+i]
	}
}
