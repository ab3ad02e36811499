package statistics

import (
	"math"
	"testing"
)

func TestFalseDiscovery(t *testing.T) {
	got := FalseDiscovery([]float64{0.04, 0.001, 0.03, 0.5})
	want := []float64{0.16 / 3, 0.004, 0.16 / 3, 0.5}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-12 {
			t.Errorf("q %v, want %v", got, want)
		}
	}
	if len(FalseDiscovery(nil)) != 0 {
		t.Error("nothing has q-values")
	}
}
