package page

import (
	"path/filepath"
	"sync"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/report"
	"mtrace/fixtures/longtrace"
)

// kept keeps values that several tests only read, by name: each is computed once.
var kept struct {
	mu     sync.Mutex
	values map[string]any
}

// keep returns the value of this name, which it computes for the first test that needs it.
func keep[T any](name string, compute func() T) T {
	kept.mu.Lock()
	defer kept.mu.Unlock()
	if value, ok := kept.values[name]; ok {
		return value.(T)
	}
	value := compute()
	if kept.values == nil {
		kept.values = map[string]any{}
	}
	kept.values[name] = value
	return value
}

// demoPage is the page of a short recorded run.
func demoPage(t *testing.T) []byte {
	t.Helper()
	return keep("demo", func() []byte {
		d, trace := whole(t, "../../fixtures/traces/device-sync.mtrace")
		return written(t, report.Build(trace, report.Options{}), d)
	})
}

// millionPage is the page of a run with a million calls, or with fewer in short tests.
func millionPage(t *testing.T) []byte {
	t.Helper()
	return keep("million", func() []byte {
		calls := int64(1_000_000)
		if testing.Short() {
			calls = 100_000
		}
		path := filepath.Join(t.TempDir(), "million.mtrace")
		if _, err := longtrace.Write(path, longtrace.Shapes[0], calls, 4); err != nil {
			t.Fatal(err)
		}
		d, _ := inSlices(t, path, report.UsualLimits.Summed)
		trace, err := analyze.Load(path, analyze.Options{To: 100e6})
		if err != nil {
			t.Fatal(err)
		}
		return written(t, report.Build(trace, report.Options{}), d)
	})
}
