package profile

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
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

// TestSumWithoutCosts: without the costs of kernels, a sum has the same GPU profile as with them, or says that it is
// missing. It is missing if several kernels share a command buffer's time.
func TestSumWithoutCosts(t *testing.T) {
	found := map[bool]int{}
	one := longtrace.Shape{Name: "one kernel", Threads: 4, Dispatches: 1, GPU: 30_000, Outside: 50_000}
	for _, shape := range append(slices.Clone(longtrace.Shapes), one) {
		path := filepath.Join(t.TempDir(), shape.Name)
		if _, err := longtrace.Write(path, shape, 20_000, 5); err != nil {
			t.Fatal(err)
		}
		f, err := analyze.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		with, without := NewSum([]string{"api", "gpu"}, kernels.CostsOf(load(t, path))), NewSum([]string{"api", "gpu"}, nil)
		err = f.EachRange(analyze.Options{}, 3_000, func(part *analyze.Trace, _, _ int) error {
			if err := with.Add(part); err != nil {
				return err
			}
			return without.AddDivided(evidence.Divide(part))
		})
		if err != nil {
			t.Fatal(err)
		}
		want, err := with.Profiles()
		if err != nil {
			t.Fatal(err)
		}
		got, err := without.Profiles()
		if err != nil {
			t.Fatal(err)
		}
		missing := slices.Contains(without.Missing(), "gpu")
		found[missing]++
		if missing != (got[1] == nil) {
			t.Errorf("%s: missing %v, but the profile is %v", shape.Name, missing, got[1])
		}
		for i := range got {
			if got[i] != nil && !reflect.DeepEqual(byStack(got[i]), byStack(want[i])) {
				t.Errorf("%s: with costs %v, without %v", shape.Name, byStack(want[i]), byStack(got[i]))
			}
		}
	}
	if found[true] == 0 || found[false] == 0 {
		t.Errorf("with and without a missing profile: %v", found)
	}
}
