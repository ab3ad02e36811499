package program

import "mtrace/analyze"

// Scaled returns a time multiplied by a share.
func Scaled(n analyze.Nanos, share float64) analyze.Nanos { return analyze.Nanos(float64(n) * share) }

// Share returns part/whole; 0 if whole is 0.
func Share(part, whole analyze.Nanos) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// Mean returns the mean of times; 0 if there are none.
func Mean(all []analyze.Nanos) (sum analyze.Nanos) {
	for _, n := range all {
		sum += n
	}
	return sum / analyze.Nanos(max(1, len(all)))
}
