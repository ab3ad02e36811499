package cause

import (
	"os"
	"slices"
	"strings"
	"testing"

	"mtrace/fixtures/scenarios"
	"mtrace/fixtures/tracesim"
)

// TestCausesAreListed: each cause of the registry is in every list that has one entry a cause. A new cause fails here
// until it is in all of them.
func TestCausesAreListed(t *testing.T) {
	file := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	verdicts, readme := file("../../docs/verdicts.md"), file("../../README.md")
	exam := file("../../fixtures/structures/exam/score.go")
	// no simulated program has these; recorded programs, in the second list of scenarios, do
	notSimulated := []string{InterpreterLock, Imbalance, ExternalGPULoad}
	for i := range causes {
		name := causes[i].name
		if !strings.Contains(verdicts, "\n## "+name+"\n") {
			t.Errorf("docs/verdicts.md has no section %q", name)
		}
		if name != ExternalGPULoad && !strings.Contains(readme, "`"+name+"`") { // which is never the verdict
			t.Errorf("README.md does not list the verdict %s", name)
		}
		if !strings.Contains(exam, "\n\t\""+name+"\":") {
			t.Errorf("fixtures/structures/exam/score.go does not say which remedy %s names", name)
		}
		simulated := slices.ContainsFunc(tracesim.Scenarios, func(s tracesim.Scenario) bool {
			return slices.Contains(s.Causes, name)
		})
		if simulated == slices.Contains(notSimulated, name) {
			t.Errorf("%s is simulated by a program of fixtures/tracesim/scenarios.go: %v", name, simulated)
		}
		if name != GPUBound && !slices.ContainsFunc(scenarios.All, func(s scenarios.Scenario) bool {
			return s.Verdict == name || s.Minor == name
		}) {
			t.Errorf("no program of fixtures/scenarios/scenarios.go has %s", name)
		}
	}
}
