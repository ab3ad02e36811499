package page

import (
	"path/filepath"
	"reflect"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/report"
	"mtrace/fixtures/longtrace"
	"mtrace/fixtures/race"
	"mtrace/fixtures/tracesim"
)

// whole builds the document of a trace that is loaded at once.
func whole(t testing.TB, path string) (*Document, *analyze.Trace) {
	t.Helper()
	b := NewBuilder()
	trace, err := analyze.Load(path, analyze.Options{Visit: b.Call})
	if err == nil {
		err = b.Slice(analyze.Whole(trace))
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Document(), trace
}

// inSlices makes the document of a trace that is read slice by slice.
func inSlices(t testing.TB, path string, records int64) (d *Document, slices int) {
	t.Helper()
	return inSlicesOf(t, path, records, func(b *Builder) analyze.Options { return analyze.Options{Visit: b.Call} })
}

// inSlicesOf makes the document of a trace that is read slice by slice with these options.
func inSlicesOf(t testing.TB, path string, records int64, of func(*Builder) analyze.Options) (d *Document, slices int) {
	t.Helper()
	f, err := analyze.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := NewBuilder()
	_, err = f.EachSlice(of(b), records, func(s *analyze.Slice, _, of int) error {
		slices = of
		return b.Slice(s)
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.Document(), slices
}

// TestTimesAreTheReports: each part of a thread's time in its lane equals the report's, to the nanosecond.
func TestTimesAreTheReports(t *testing.T) {
	threads := 0
	for _, s := range tracesim.Scenarios {
		d, trace := whole(t, s.Build(1).Run(t))
		lanes := map[uint64]*Lane{}
		for i := range d.Lanes {
			if l := &d.Lanes[i]; l.Shows == LaneThread {
				lanes[l.TID] = l
			}
		}
		for _, th := range report.Build(trace, report.Options{}).Threads {
			l := lanes[th.TID]
			if l == nil {
				t.Errorf("%s: thread %d has no lane", s.Name, th.TID)
				continue
			}
			threads++
			for p := range analyze.PartOutside {
				if got, want := l.TimeNS[p], th.Time[p.Key()]; got != want {
					t.Errorf("%s: thread %d: %s is %d in its lane, %d in the report", s.Name, th.TID, p.Key(), got, want)
				}
			}
		}
	}
	if threads < 50 {
		t.Errorf("only %d threads were compared", threads)
	}
}

// TestShortWaitsAreLeftOut: the page is the same without the waits for locks and signals that are too short to be drawn
// apart.
func TestShortWaitsAreLeftOut(t *testing.T) {
	calls, slice := int64(400_000), int64(40_000)
	if race.Enabled { // as many slices, of fewer calls
		calls, slice = 150_000, 15_000
	}
	for _, shape := range longtrace.Shapes[:2] { // one waits for signals, the other for a lock
		path := filepath.Join(t.TempDir(), "long.mtrace")
		if _, err := longtrace.Write(path, shape, calls, 9); err != nil {
			t.Fatal(err)
		}
		all, _ := inSlices(t, path, slice)
		waits := 0
		long, _ := inSlicesOf(t, path, slice, func(b *Builder) analyze.Options {
			return analyze.Options{Visit: b.Call, ShortestWait: func(on *analyze.Thread) analyze.Nanos {
				if b.ShortestWait(on) > 0 {
					waits++
				}
				return b.ShortestWait(on)
			}}
		})
		if waits == 0 {
			t.Errorf("%s: no thread has cells that could hide a wait", shape.Name)
		}
		if !reflect.DeepEqual(all, long) {
			t.Errorf("%s: the page differs without short waits", shape.Name)
		}
	}
}

// TestInSlices: the page's document of a run that is read slice by slice has the same lanes as the document of a run
// that was loaded as a whole.
func TestInSlices(t *testing.T) {
	for _, shape := range longtrace.Shapes {
		path := filepath.Join(t.TempDir(), "long.mtrace")
		if _, err := longtrace.Write(path, shape, 30_000, 9); err != nil {
			t.Fatal(err)
		}
		one, _ := whole(t, path)
		cut, slices := inSlices(t, path, 5_000)
		if slices < 3 || len(one.Lanes) != len(cut.Lanes) {
			t.Fatalf("%s: %d slices, %d and %d lanes", shape.Name, slices, len(one.Lanes), len(cut.Lanes))
		}
		for i := range one.Lanes {
			a, b := &one.Lanes[i], &cut.Lanes[i]
			if a.Key != b.Key || a.Shows != LaneGPU && a.TimeNS != b.TimeNS {
				t.Errorf("%s: lane %q %v, in slices %q %v", shape.Name, a.Key, a.TimeNS, b.Key, b.TimeNS)
			}
		}
		for i := range one.Histograms {
			if !reflect.DeepEqual(one.Histograms[i], cut.Histograms[i]) {
				t.Errorf("%s: %v, in slices %v", shape.Name, one.Histograms[i], cut.Histograms[i])
			}
		}
	}
}
