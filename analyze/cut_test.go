package analyze_test

import (
	"os"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/tracesim"
)

// The story: a trace was cut within the first quarter of a second, before the collector had written the process's
// counters with their time. The report did not say when the trace was cut.
func TestCutBeforeTheFirstCounters(t *testing.T) {
	f, p := tracesim.NewFile()
	r := p.Thread(51, "t", 1000)
	r.Add(commandBuffer, 1000, 1100, 2, 3)
	r.Add(commit, 1400, 1600, 3, 0)
	r.Add(waitUntilCompleted, 1700, 2500, 3, 0)
	path := f.Write(t)
	info, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, info.Size()-1)
	}
	if err != nil {
		t.Fatal(err)
	}
	trace := load(t, path, analyze.Options{})
	if short := trace.Source.Short; short == nil || short.Kind != analyze.Cut || short.After != trace.Run.Length ||
		short.After == 0 || !strings.HasPrefix(analyze.Headline(trace), "CUT 1.50 µs after the start: ") {
		t.Errorf("%+v in a run of %v: %s", short, trace.Run.Length, analyze.Headline(trace))
	}
}
