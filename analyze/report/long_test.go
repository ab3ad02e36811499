package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/evidence"
	"mtrace/analyze/kernels"
	"mtrace/analyze/policy"
	"mtrace/fixtures/longtrace"
	"mtrace/fixtures/race"
	_ "mtrace/fixtures/testheap"
	"mtrace/fixtures/tracesim"
)

// both are the reports on a trace as one, and in parts.
func both(t *testing.T, path string, asked analyze.Options, limits Limits) (whole, parts *Report) {
	t.Helper()
	trace, err := analyze.Load(path, asked)
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{Limits: limits}
	whole = Build(trace, opts)
	f, err := analyze.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if !limits.Long(f, asked) {
		t.Fatalf("%d records are not long", f.Records())
	}
	parts, _, err = BuildLong(f, asked, opts)
	if err != nil {
		t.Fatal(err)
	}
	return whole, parts
}

// tree is a value as JSON has it.
func tree(t *testing.T, value any) (out any) {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// same compares sums. Numbers may differ by a share of the larger one.
func same(t *testing.T, at string, a, b any, share float64) {
	t.Helper()
	switch a := a.(type) {
	case map[string]any:
		for key := range a {
			same(t, at+"."+key, a[key], b.(map[string]any)[key], share)
		}
	case []any:
		if b := b.([]any); len(a) != len(b) {
			t.Errorf("%s: %d of one, %d of the other", at, len(a), len(b))
			return
		}
		for i := range a {
			same(t, fmt.Sprintf("%s[%d]", at, i), a[i], b.([]any)[i], share)
		}
	case float64:
		if x, ok := b.(float64); !ok || math.Abs(a-x) > share*max(math.Abs(a), math.Abs(x)) {
			t.Errorf("%s: %v of the whole, %v of the parts", at, a, b)
		}
	default:
		if a != b {
			t.Errorf("%s: %v of the whole, %v of the parts", at, a, b)
		}
	}
}

// adds compares the sums of two reports: exactly, except for rounding in each range. A second exception is the
// attribution of queueing when several command buffers ran at once across the border of two ranges: there it is not
// known which began first. Command buffers in flight at a border where no thread makes a call for long count up to the
// last call before it.
func adds(t *testing.T, whole, parts *Report) {
	t.Helper()
	fitted := 1e-6
	if slices.ContainsFunc(whole.Kernels, func(k Kernel) bool { return k.Source != kernels.Measured }) {
		fitted = 0.05 // command buffers over the border of two parts are not fitted
	}
	for _, of := range []struct {
		name  string
		a, b  any
		share float64
	}{
		{"events", whole.Events, parts.Events, 0},
		{"lost", whole.Lost, parts.Lost, 0},
		{"warnings", whole.Warnings, parts.Warnings, 0},
		{"calls", whole.Calls, parts.Calls, 0},
		{"sites", whole.CallSites, parts.CallSites, 0},
		{"threads", whole.Threads, parts.Threads, 1e-6},
		{"queues", whole.Queues, parts.Queues, 1e-3},
		{"kernels", byName(whole.Kernels), byName(parts.Kernels), fitted},
		{"operations", whole.Operations, parts.Operations, fitted},
		{"memory", whole.Memory, parts.Memory, 0},
		{"compile", whole.Compile, parts.Compile, 0},
		{"scopes", whole.Scopes, parts.Scopes, 0},
		{"waits", whole.Serialization.WaitMatrix, parts.Serialization.WaitMatrix, 0},
		{"queued", whole.Serialization.QueuedMatrix, parts.Serialization.QueuedMatrix, 0.1},
		{"locks", whole.Serialization.LockMatrix, parts.Serialization.LockMatrix, 0},
		{"busy", whole.GPU.BusyNS, parts.GPU.BusyNS, 0},
		{"share", whole.GPU.BusyShare, parts.GPU.BusyShare, 1e-9},
		{"sum", whole.GPU.SumNS, parts.GPU.SumNS, 0},
		{"latency", whole.GPU.StartLatency, parts.GPU.StartLatency, 0},
		{"idle", whole.GPU.IdleNS, parts.GPU.IdleNS, 1e-6},
		{"window", whole.Source.WindowNS, parts.Source.WindowNS, 0},
		{"pids", whole.Source.PIDs, parts.Source.PIDs, 0},
	} {
		same(t, of.name, tree(t, of.a), tree(t, of.b), of.share)
	}
}

// byName returns kernels in an order that does not depend on their times, without their bounds, which depend on how the
// run is cut.
func byName(list []Kernel) []Kernel {
	list = slices.Clone(list)
	for i := range list {
		if list[i].Rank, list[i].Operations = 0, nil; list[i].Source != kernels.Measured {
			list[i].GPULowNS, list[i].GPUHighNS = 0, 0
		}
	}
	slices.SortFunc(list, func(a, b Kernel) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// TestLong: a long trace's report has the totals of all of it, as exactly as a report that was computed as a whole. The
// verdict over its windows is the verdict of the whole, with figures near it.
func TestLong(t *testing.T) {
	records, limits := int64(150_000), Limits{Whole: 50_000, Summed: 20_000, Window: 8_000, Buffers: 300}
	if race.Enabled { // the same ranges and windows, with half of the records
		records, limits = 75_000, Limits{Whole: 25_000, Summed: 10_000, Window: 4_000, Buffers: 150}
	}
	for _, shape := range longtrace.Shapes {
		t.Run(shape.Name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "long.mtrace")
			if _, err := longtrace.Write(path, shape, records, 5); err != nil {
				t.Fatal(err)
			}
			whole, parts := both(t, path, analyze.Options{}, limits)
			adds(t, whole, parts)
			alike(t, whole, parts)
			if s := parts.Sampled; s == nil || len(s.Windows) != windows || s.Share < 0.1 || s.Share > 0.6 {
				t.Errorf("the windows are %+v", s)
			}
			if !strings.Contains(parts.Sampled.Text(), "8 ranges") || whole.Sampled != nil {
				t.Error("the windows are not named")
			}
		})
	}
}

// TestLongSections: a section of a long trace has the same text whether it is computed alone or with all others, so no
// section lacks an analysis that it needs. A report without causes names no ranges that causes come from.
func TestLongSections(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.mtrace")
	if _, err := longtrace.Write(path, longtrace.Shapes[0], 15_000, 5); err != nil {
		t.Fatal(err)
	}
	f, err := analyze.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	opts := Options{Limits: Limits{Whole: 5_000, Summed: 2_000, Window: 500, Buffers: 300}}
	build := func(of Options) *Report {
		r, _, err := BuildLong(f, analyze.Options{}, of)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Sampled.Text(); len(r.Sampled.Windows) == 0 && got != "Totals cover the whole run." {
			t.Errorf("sections %v: ranges are described as %q", of.Sections, got)
		}
		r.Sampled = nil // its line before the section differs
		return r
	}
	whole := build(opts)
	for _, section := range Sections() {
		opts.Sections = []string{section}
		var want, got strings.Builder
		if err := whole.WriteText(&want, opts); err != nil {
			t.Fatal(err)
		}
		if err := build(opts).WriteText(&got, opts); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Errorf("section %s alone is\n%s\nin the whole report it is\n%s", section, &got, &want)
		}
	}
}

// alike compares the verdicts: the same cause, with a share within a tenth of the threads' time. A limit of the machine
// is reported from half of the time on, so a limit of about half may be none in one of them.
func alike(t *testing.T, whole, parts *Report) {
	t.Helper()
	a, b := &whole.Serialization, &parts.Serialization
	if half := math.Abs(max(a.Share, b.Share)-policy.Majority.Value) < 0.1; half &&
		(a.Verdict == cause.None || b.Verdict == cause.None) {
		return
	}
	if a.Verdict != b.Verdict || math.Abs(a.Share-b.Share) > 0.1 {
		t.Errorf("the whole is %s, %.2f of the time, the parts %s, %.2f", a.Verdict, a.Share, b.Verdict, b.Share)
	}
}

// TestLongScenarios: the same of programs whose cause is known, and how the windows judge them. Loops run ten times as
// long as in other tests, and five times if they have many threads. Under the race detector they run as long as in
// other tests, where windows are too short for a verdict.
func TestLongScenarios(t *testing.T) {
	defer func() { tracesim.Longer = 1 }()
	for _, s := range tracesim.Scenarios {
		t.Run(s.Name, func(t *testing.T) {
			tracesim.Longer = 1
			path := s.Build(3).Run(t)
			if n := records(t, path); !race.Enabled {
				tracesim.Longer = 10
				if n > 5000 {
					tracesim.Longer = 5
				}
				path = s.Build(3).Run(t)
			}
			f, err := analyze.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			n := f.Records()
			if n < 4000 || race.Enabled { // for scenarios that are no loops, windows are too short for a verdict
				whole, parts := both(t, path, analyze.Options{}, Limits{Whole: n / 2, Summed: n / 10, Window: n / 2, Buffers: 300})
				adds(t, whole, parts)
				return
			}
			whole, parts := both(t, path, analyze.Options{}, Limits{Whole: n / 2, Summed: n / 10, Window: n / 16, Buffers: 300})
			adds(t, whole, parts)
			alike(t, whole, parts)
		})
	}
}

// records is the number of records of the trace at path.
func records(t *testing.T, path string) int64 {
	t.Helper()
	f, err := analyze.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return f.Records()
}

// TestLongFlight: the GPU works on one command buffer during a run of more ranges than are read around one of them.
// Ranges in between did not have it: the GPU was busy for half of the time, and a thread that waited for it waited for
// an unknown object.
func TestLongFlight(t *testing.T) {
	shape := longtrace.Shapes[0]
	shape.Serves = true
	path := filepath.Join(t.TempDir(), "long.mtrace")
	if _, err := longtrace.Write(path, shape, 40_000, 5); err != nil {
		t.Fatal(err)
	}
	whole, parts := both(t, path, analyze.Options{}, Limits{Whole: 13_000, Summed: 400, Window: 2_000, Buffers: 300})
	adds(t, whole, parts)
	if s := whole.GPU.BusyShare; s < 0.99 {
		t.Errorf("the GPU is busy for %.3f of the time", s)
	}
}

// TestProgressOfLongReport: progress grows to its end, every range is passed to Options.Part once and in order, and
// windows that are analysed concurrently count together.
func TestProgressOfLongReport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace")
	if _, err := longtrace.Write(path, longtrace.Shapes[0], 60_000, 5); err != nil {
		t.Fatal(err)
	}
	f, err := analyze.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var done []int
	var at analyze.Nanos
	parts, all := 0, 0
	_, _, err = BuildLong(f, analyze.Options{}, Options{
		Limits:   Limits{Whole: 30_000, Window: 3_000, Summed: 5_000, Buffers: 10},
		Progress: func(n, of int) { done, all = append(done, n), of },
		Part: func(part *evidence.Division) error {
			if begin := part.Trace.TimeRange.Begin; begin < at {
				t.Errorf("a part that begins at %d comes after %d", begin, at)
			}
			parts, at = parts+1, part.Trace.TimeRange.Begin
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(done) || len(done) != parts+2 || done[len(done)-1] != all {
		t.Errorf("steps %v of %d, %d parts", done, all, parts)
	}
	if done[0] != stepsOfLook*windows/2 {
		t.Errorf("the first progress is %d", done[0])
	}
	wanted := errors.New("no more")
	if _, _, err := BuildLong(f, analyze.Options{}, Options{Limits: Limits{Whole: 30_000, Window: 3_000, Summed: 5_000},
		Part: func(*evidence.Division) error { return wanted }}); !errors.Is(err, wanted) {
		t.Errorf("the error of Part is lost: %v", err)
	}
}
