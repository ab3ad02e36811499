package timeline

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/longtrace"
)

// events returns the events of a trace in Chrome's format, one per line, sorted by their text.
func events(b *bytes.Buffer) []string {
	lines := strings.Split(strings.ReplaceAll(b.String(), "},\n", "}\n"), "\n")
	slices.Sort(lines)
	return lines
}

// TestInSlices: the timeline of a run that was read slice by slice has the same events as the timeline of a run that
// was loaded as a whole: every call, arrow, counter level and GPU time once.
func TestInSlices(t *testing.T) {
	for _, shape := range longtrace.Shapes {
		path := filepath.Join(t.TempDir(), "long.mtrace")
		if _, err := longtrace.Write(path, shape, 30_000, 9); err != nil {
			t.Fatal(err)
		}
		var whole, cut bytes.Buffer
		w := NewChrome(&whole)
		trace, err := analyze.Load(path, analyze.Options{Visit: w.Call})
		if err == nil {
			err = w.Whole(trace)
		}
		if err != nil {
			t.Fatal(err)
		}
		f, err := analyze.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		w, count := NewChrome(&cut), 0
		_, err = f.EachSlice(analyze.Options{Visit: w.Call, Apart: true}, 5_000, func(s *analyze.Slice, _, of int) error {
			count = of
			return w.Slice(s)
		})
		if err == nil {
			err = w.Finish()
		}
		if f.Close(); err != nil || count < 3 {
			t.Fatal(err, count)
		}
		a, b := events(&whole), events(&cut)
		differ := 0
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				if differ++; differ < 6 {
					t.Errorf("%s: as one %s\nin slices %s", shape.Name, a[i], b[i])
				}
			}
		}
		if len(a) != len(b) || differ > 0 {
			t.Errorf("%s: %d and %d events", shape.Name, len(a), len(b))
		}
	}
}
