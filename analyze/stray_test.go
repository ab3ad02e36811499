package analyze_test

import (
	"slices"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/tracetest"
)

// TestStrayIsCountedOnce: a record that belongs to no call is counted once, into however many slices or ranges a run is
// cut. Records around one slice are read for its neighbour as well, and each slice counted the stray record: an export
// of a damaged trace reported one such record as "2 records".
func TestStrayIsCountedOnce(t *testing.T) {
	s := newScript(t)
	main := s.main()
	main.Stray() // before anything else
	pipeline := main.NewPipeline("k")
	for i := range 4000 {
		main.Run(tracetest.Step{Pipeline: pipeline, Encode: 100, Commit: 100, Delay: 100, GPU: 100, Notify: 100})
		if i%1000 == 500 {
			main.Stray()
		}
	}
	s.End()
	s.file.Close()
	const strays = "5 records belong to no call and were ignored"
	check := func(what string, warnings []string) {
		t.Helper()
		if n := slices.Index(warnings, strays); n < 0 || strings.Contains(strings.Join(warnings[n+1:], " "), "no call") {
			t.Errorf("%s: %q, want once %q", what, warnings, strays)
		}
	}
	f, err := analyze.Open(s.path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	whole, err := f.Load(analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	check("as one", whole.Warnings)
	for _, records := range []int64{20_000, 6_000, 1_500} {
		var slices, parts analyze.Total
		if _, err := f.EachSlice(analyze.Options{}, records, func(s *analyze.Slice, _, of int) error {
			if of < 2 {
				t.Error("it is one slice")
			}
			slices.Add(s.Trace)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		slices.Finish()
		check("in slices", slices.Trace.Warnings)
		if err := f.EachRange(analyze.Options{}, records, func(part *analyze.Trace, _, _ int) error {
			parts.Add(part)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		parts.Finish()
		check("in parts", parts.Trace.Warnings)
	}
}
