package profile

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"mtrace/analyze"
	"mtrace/analyze/kernels"
	"mtrace/fixtures/longtrace"
)

// byStack returns the values of a profile's samples by their stack and labels.
func byStack(p *profile.Profile) map[string][]int64 {
	all := map[string][]int64{}
	for _, s := range p.Sample {
		var names []string
		for _, at := range s.Location {
			names = append(names, at.Line[0].Function.Name)
		}
		key := fmt.Sprint(strings.Join(names, ";"), s.Label, s.NumLabel)
		if all[key] == nil {
			all[key] = make([]int64, len(s.Value))
		}
		for i, v := range s.Value {
			all[key][i] += v
		}
	}
	return all
}

// TestSum: profiles added up over the ranges of a trace equal the profile of the whole trace. Calls, waits and command
// buffers count once. Times are equal except for rounding where a command buffer's GPU time is divided between two
// ranges. A wait across a border counts with its longest phase in its first range.
func TestSum(t *testing.T) {
	for _, shape := range longtrace.Shapes {
		path := filepath.Join(t.TempDir(), shape.Name)
		if _, err := longtrace.Write(path, shape, 40_000, 5); err != nil {
			t.Fatal(err)
		}
		whole := load(t, path)
		f, err := analyze.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		sum, parts := NewSum(Types, kernels.CostsOf(whole)), 0
		err = f.EachRange(analyze.Options{}, 3_000, func(part *analyze.Trace, number, of int) error {
			parts = of
			return sum.Add(part)
		})
		if err != nil || parts < 2*mostPending {
			t.Fatalf("%d parts: %v", parts, err)
		}
		profiles, err := sum.Profiles()
		if err != nil {
			t.Fatal(err)
		}
		for i, kind := range Types {
			want, err := Build(kind, whole)
			if err != nil {
				t.Fatal(err)
			}
			a, b := byStack(want), byStack(profiles[i])
			if len(a) != len(b) || len(a) == 0 && (kind == "gpu" || kind == "api" || kind == "wait") {
				t.Errorf("%s of %s: %d stacks of the whole, %d of the parts", kind, shape.Name, len(a), len(b))
			}
			counts := int64(0)
			for key, values := range a {
				got := b[key]
				if got == nil {
					t.Errorf("%s of %s: %s is not in the parts", kind, shape.Name, key)
					continue
				}
				counts += got[0] - values[0]
				for k, v := range values {
					if off := math.Abs(float64(got[k] - v)); k == 0 && off > float64(parts) || k > 0 && off > 1e-3*float64(v) {
						t.Errorf("%s of %s: %s: %v of the whole, %v of the parts", kind, shape.Name, key, values, got)
					}
				}
			}
			if counts != 0 {
				t.Errorf("%s of %s: the parts count %d more than the whole", kind, shape.Name, counts)
			}
			if d := profiles[i].DurationNanos; d != want.DurationNanos {
				t.Errorf("%s of %s: %d ns of %d", kind, shape.Name, d, want.DurationNanos)
			}
		}
	}
}
