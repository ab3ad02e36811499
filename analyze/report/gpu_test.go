package report

import (
	"strings"
	"testing"

	"mtrace/analyze"
)

// The story: the verdict said that the GPU was busy for 71% of the time, and the GPU's line below it said 69%: one
// counted from the first commit to the last completion, the other all that was recorded. A reader of the page took one
// for wrong.
func TestGPUIsBusyForOneShare(t *testing.T) {
	one := Device{Name: "A", ActiveNS: 100_000_000, BusyNS: 71_000_000}
	idle := Device{Name: "B", ActiveNS: 42_000_000}
	for _, c := range []struct {
		name string
		gpu  GPU
		want string
	}{
		{"one GPU, of a longer run", GPU{BusyNS: 71_000_000, BusyShare: 0.69, Devices: []Device{one}},
			"busy 71.0 ms (71% from first commit to last completion)"},
		{"two GPUs", GPU{BusyNS: 71_000_000, BusyShare: 0.345, Devices: []Device{one, idle}},
			"busy 71.0 ms (50% from first commit to last completion)"},
		{"no commits recorded", GPU{BusyNS: 71_000_000, BusyShare: 0.69}, "busy 71.0 ms"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.gpu.BusyText(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestShareOfGPULineIsTheVerdicts compares the line of a whole report with the sentence of its verdict. The recording
// begins long before the first commit.
func TestShareOfGPULineIsTheVerdicts(t *testing.T) {
	trace := load(t, "../../fixtures/traces/device-sync.mtrace")
	r := Build(trace, Options{})
	_, share := r.GPU.InUse()
	if share == r.GPU.BusyShare {
		t.Fatal("this trace cannot show the difference: it begins with the first commit")
	}
	if want := "busy for " + analyze.FormatShare(share); !strings.Contains(r.Serialization.Summary, want) {
		t.Errorf("the verdict does not say %q: %s", want, r.Serialization.Summary)
	}
}
