package main

import (
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mtrace/analyze/report"
)

// The report of a program with prompts and tokens has the times of its tokens, and the GPU's idle time between them, as
// the program computes them itself from Metal's GPU times and, with marks, from the times of its marks. Loading its
// weights is no prompt.
func TestPromptAndTokens(t *testing.T) {
	t.Parallel()
	programs, err := filepath.Abs("../../fixtures/scenarios/programs")
	if err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("testdata/generate.py")
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"PYTHONPATH=" + programs, "PYTHONDONTWRITEBYTECODE=1", "SOFTMETAL_TIMED=execute"}
	const tokens = 24
	for _, c := range []struct {
		name, from string
		args       []string
	}{{"command buffers", "command buffers", nil}, {"marks", "marks", []string{"marks"}}} {
		trace := filepath.Join(t.TempDir(), "t.mtrace")
		got := sh(t, "", env, tool.mtrace, append([]string{"run", "--no-report", "-o", trace, "--", "python3", script, "24"},
			c.args...)...)
		var truth struct{ Prompts, Tokens, Gaps []float64 }
		if err := json.Unmarshal([]byte(got.stdout), &truth); got.exit != 0 || err != nil {
			t.Fatalf("%v: %+v", err, got)
		}
		r := reportOf(t, trace)
		g := r.Steps.Generation
		if g == nil || g.From != c.from {
			t.Fatalf("%s: no generation: %+v", c.name, r.Steps)
		}
		var kinds []string
		for _, p := range r.Steps.Phases {
			kinds = append(kinds, p.Kind)
		}
		if got := strings.Join(kinds, " "); got != "prompt decode prompt decode" || g.PromptNS.Count != 2 ||
			g.TokenNS.Count != 2*tokens || g.GPUNS.Count != 2*tokens {
			t.Errorf("%s: phases %s, %+v", c.name, got, g)
		}
		near := func(what string, got int64, want, within float64) {
			if math.Abs(float64(got)-1e9*want) > within*1e9*want {
				t.Errorf("%s: %s is %d ns, by the program's own times %.0f", c.name, what, got, 1e9*want)
			}
		}
		for _, of := range [][]float64{truth.Prompts, truth.Tokens, truth.Gaps} {
			slices.Sort(of)
		}
		near("the median token", g.TokenNS.P50NS, truth.Tokens[tokens], 0.02)
		near("the 95th percentile of tokens", g.TokenNS.P95NS, truth.Tokens[2*tokens*95/100], 0.05)
		near("the GPU's median idle time", g.IdleNS.P50NS, truth.Gaps[tokens], 0.1)
		if low := int64(1e9 * truth.Prompts[0]); g.PromptNS.MinNS < low {
			t.Errorf("%s: a prompt took %d ns, its work on the GPU %d", c.name, g.PromptNS.MinNS, low)
		}
		text := sh(t, "", nil, tool.mtrace, "report", trace).stdout
		if !strings.Contains(text, "\nSTEPS    2 prompts, median ") || !strings.Contains(text, "48 tokens, median ") {
			t.Errorf("%s: no line of steps on one screen:\n%s", c.name, text)
		}
		all := sh(t, "", nil, tool.mtrace, "report", "--section", "steps", trace).stdout
		if strings.Count(all, "\n  decode ") != 2 || !strings.Contains(all, "\nSTEPS") {
			t.Errorf("%s: section steps:\n%s", c.name, all)
		}
	}
}

// A loop without a prompt, such as training, is listed as a loop and is no generation.
func TestLoopIsNoGeneration(t *testing.T) {
	t.Parallel()
	trace := recordWorkload(t).trace
	r := reportOf(t, trace)
	if r.Steps.Generation != nil {
		t.Errorf("%+v", r.Steps.Generation)
	}
	if !slices.ContainsFunc(r.Steps.Phases, func(p report.StepPhase) bool { return p.Kind == "loop" && p.Steps >= 8 }) {
		t.Errorf("no loop in %+v", r.Steps.Phases)
	}
}
