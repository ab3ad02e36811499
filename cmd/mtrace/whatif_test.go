package main

import (
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mtrace/fixtures/tracesim"
	"mtrace/fixtures/tracetest"
)

// A --what-if question is answered with a prediction, and a wrong question gets one clear line and status 2. The trace
// is a simulated one: for a recorded one nothing is predicted if the machine was so busy that the replay does not agree
// with the run, or if there are few command buffers.
func TestWhatIf(t *testing.T) {
	saturated := slices.IndexFunc(tracesim.Scenarios, func(s tracesim.Scenario) bool { return s.Name == "GPU saturated" })
	trace := tracesim.Scenarios[saturated].Build(1).Run(t)
	for _, c := range []struct{ asked, says string }{
		{"weather:x=0", "KIND is one of"},
		{"kernel:axpy", "factor"},
		{"kernel:axpy=fast", "factor"},
		{"kernel:axpy=-1", "factor"},
		{"kernel:axpy=NaN", "factor"},
		{"cause:launch-bound=0.5", "whole"},
		{"", "KIND is one of"},
	} {
		got := sh(t, "", nil, tool.mtrace, "report", "--what-if", c.asked, trace)
		if got.exit != 2 || !strings.Contains(got.stderr, c.says) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%q: exit %d with %q; want 2 and one line with %q", c.asked, got.exit, got.stderr, c.says)
		}
	}
	if got := sh(t, "", nil, tool.mtrace, "report", "--what-if", "kernel:weather*=0.5", trace); got.exit != 2 ||
		!strings.Contains(got.stderr, "step") || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("a missing name: exit %d with %q; want 2 and one line with the existing names", got.exit, got.stderr)
	}
	// Where nothing is predicted, a name that is not there was passed over, with the reason why nothing is.
	few := threeBuffers(t)
	for asked, says := range map[string]string{"kernel:weather*=0.5": "k", "call:weather=0": "commit",
		"lock:weather=0": "no item of that kind", "thread:weather=0.5": "main 101", "cause:queue-depth=0": "cause"} {
		if got := sh(t, "", nil, tool.mtrace, "report", "--what-if", asked, few); got.exit != 2 ||
			!strings.Contains(got.stderr, says) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s, where nothing is predicted: exit %d with %q; want 2 and one line with %q", asked, got.exit,
				got.stderr, says)
		}
	}
	if got := sh(t, "", nil, tool.mtrace, "report", "--what-if",
		"kernel:k=0.5,call:comm*=0.5,thread:main*=0,in-flight:2=0", few); got.exit != 0 || !strings.Contains(got.stdout,
		"The requested change is not predicted: ") {
		t.Errorf("an existing name, where nothing is predicted: %+v", got)
	}
	got := sh(t, "", nil, tool.mtrace, "report", "--json", "--what-if", "kernel:*=0.5,call:commit=0.5", trace)
	var document struct {
		WhatIf []struct {
			What    struct{ Kind, Name string }
			Factor  float64
			Speedup struct{ Estimate, Low, High float64 }
		} `json:"what_if"`
	}
	if err := json.Unmarshal([]byte(got.stdout), &document); err != nil {
		t.Fatalf("%v in %+v", err, got)
	}
	if w := document.WhatIf; len(w) == 0 || w[0].What.Kind != "together" || math.Abs(w[0].Speedup.Estimate-2) > 0.1 ||
		w[0].Speedup.Low > w[0].Speedup.Estimate || w[0].Speedup.High < w[0].Speedup.Estimate {
		t.Errorf("the request gave %+v", w)
	}
}

// threeBuffers is a trace of so few command buffers that nothing is predicted.
func threeBuffers(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "few.mtrace")
	f := tracetest.Create(t, path)
	p := f.Process(100, "few")
	main := p.Thread(101, "main")
	main.NewQueue("work")
	k := main.NewPipeline("k")
	for range 3 {
		main.Run(tracetest.Step{Pipeline: k, Encode: 100, Commit: 100, Delay: 100, GPU: 10_000, Notify: 100})
	}
	p.End()
	f.Close()
	return path
}
