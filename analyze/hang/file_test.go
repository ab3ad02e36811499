package hang

import (
	"path/filepath"
	"reflect"
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/longtrace"
)

// TestFewRecords: the few records that are loaded first decide only that no process hangs. Otherwise the result is that
// of more records. The report of two million calls once needed 60 MB more, because it loaded half of the trace to look
// for a hang.
func TestFewRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.mtrace")
	if _, err := longtrace.Write(path, longtrace.Shapes[0], 20_000, 5); err != nil {
		t.Fatal(err)
	}
	f, err := analyze.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, c := range []struct {
		options Options
		pauses  int
	}{
		{Options{}, 0},                     // exited with status 0
		{Options{Now: true}, 0},            // made progress just before its end
		{Options{Now: true, Quiet: -1}, 1}, // no time without progress is needed
	} {
		got, err := of(f, nil, c.options, 500, 10_000)
		if err != nil {
			t.Fatal(err)
		}
		want, err := of(f, nil, c.options, 10_000, 10_000)
		if err != nil {
			t.Fatal(err)
		}
		if len(want.Pauses) != c.pauses || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v: %+v, with more records %+v", c.options, got, want)
		}
	}
}
