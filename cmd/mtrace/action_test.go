package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/joshdk/go-junit"
	yaml "go.yaml.in/yaml/v3"

	"mtrace/fixtures/tracesim"
)

// An action has the parts of the GitHub action's file that the tests read.
type action struct {
	Inputs map[string]struct {
		Description, Default string
	}
	Outputs map[string]struct{ Value string }
	Runs    struct {
		Using string
		Steps []struct {
			ID, Shell, Run string
			Env            map[string]string
		}
	}
}

// actionRun is the result of a step with the action, as a job sees it.
type actionRun struct {
	outcome
	outputs map[string]string
	summary string
	junit   string // folder
}

var expression = regexp.MustCompile(`\$\{\{\s*([\w.-]+)\s*\}\}`)

// runAction runs a composite action of one step as GitHub's runner does: inputs, then environment, then the line in
// bash.
func runAction(t *testing.T, dir string, with map[string]string) actionRun {
	t.Helper()
	folder, err := filepath.Abs("../../.github/actions/mtrace")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "action.yml"))
	var a action
	if err == nil {
		err = yaml.Unmarshal(text, &a)
	}
	if err != nil || a.Runs.Using != "composite" || len(a.Runs.Steps) != 1 || a.Runs.Steps[0].Shell != "bash" {
		t.Fatalf("%v: %+v", err, a)
	}
	for name := range with {
		if _, there := a.Inputs[name]; !there {
			t.Fatalf("the action has no input %s", name)
		}
	}
	values := map[string]string{"runner.temp": t.TempDir()}
	evaluate := func(text string) string {
		return expression.ReplaceAllStringFunc(text, func(found string) string {
			value, there := values[expression.FindStringSubmatch(found)[1]]
			if !there {
				t.Errorf("%s is nothing", found)
			}
			return value
		})
	}
	for name, input := range a.Inputs {
		if values["inputs."+name] = evaluate(input.Default); with[name] != "" {
			values["inputs."+name] = with[name]
		}
		if input.Description == "" {
			t.Errorf("the input %s is not described", name)
		}
	}
	step := a.Runs.Steps[0]
	if expression.MatchString(step.Run) {
		t.Errorf("bash would run an input as a program: %s", step.Run)
	}
	output, summary := filepath.Join(t.TempDir(), "output"), filepath.Join(t.TempDir(), "summary")
	env := []string{"GITHUB_ACTION_PATH=" + folder, "GITHUB_OUTPUT=" + output, "GITHUB_STEP_SUMMARY=" + summary,
		"RUNNER_TEMP=" + values["runner.temp"]}
	for name, value := range step.Env {
		env = append(env, name+"="+evaluate(value))
	}
	r := actionRun{outcome: sh(t, dir, env, "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run),
		outputs: map[string]string{}, junit: values["inputs.junit"]}
	said, _ := os.ReadFile(output)
	for line := range strings.Lines(string(said)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		r.outputs[name] = value
		if a.Outputs[name].Value != "${{ steps."+step.ID+".outputs."+name+" }}" {
			t.Errorf("the action does not hand on %s", name)
		}
	}
	text, _ = os.ReadFile(summary)
	r.summary = string(text)
	return r
}

// simulatedRuns is a folder with traces of runs of one kernel, which takes so many microseconds on the GPU.
func simulatedRuns(t *testing.T, runs int, microseconds int64) string {
	t.Helper()
	dir := t.TempDir()
	for i := range runs {
		s := tracesim.NewSim(1, uint64(i+1))
		q := s.NewQueue("work", 0)
		s.Thread(func(t *tracesim.Thread) {
			for range 60 {
				b := t.CommandBuffer(q)
				t.Encode(b, "gelu", microseconds*1000)
				t.Commit(b)
				t.Wait(b)
			}
		})
		if err := os.Rename(s.Run(t), filepath.Join(dir, fmt.Sprintf("%d.mtrace", i+1))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestActionDecides: the action's script, run as GitHub's runner runs it, passes a change that is as fast, fails a
// slower one, and reports undecided where nothing can be decided.
func TestActionDecides(t *testing.T) {
	t.Parallel()
	fast, same, slow := simulatedRuns(t, 3, 200), simulatedRuns(t, 3, 200), simulatedRuns(t, 3, 600)
	claims := filepath.Join(t.TempDir(), "claims.json")
	if err := os.WriteFile(claims, []byte(`{"claims": [{"title": "it computes", "expr": `+
		`"calls[selector=\"commit\"].count == 60"}]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	wrong := filepath.Join(t.TempDir(), "wrong.json")
	if err := os.WriteFile(wrong, []byte(`{"claims": [{"title": "it computes", "expr": `+
		`"calls[selector=\"commit\"].count == 61"}]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		with   map[string]string
		exit   int
		says   string // in the summary
		failed int    // cases in JUnit's form, of the comparison
	}{
		"as fast": {map[string]string{"before": fast, "after": same, "claims": claims}, 0, "### mtrace diff: PASS", 0},
		"slower":  {map[string]string{"before": fast, "after": slow, "claims": claims}, 1, "### mtrace diff: FAIL", 1},
		"within limits": {map[string]string{"before": fast, "after": slow, "fail-over": "900"}, 0, "### mtrace diff: PASS",
			0},
		"a wrong claim": {map[string]string{"before": fast, "after": same, "claims": wrong}, 1, "### mtrace check: FAIL", 0},
		"no traces":     {map[string]string{"before": fast, "after": t.TempDir()}, 2, "no traces are in", -1},
		"no tool":       {map[string]string{"before": fast, "after": same, "mtrace": "no-such-tool"}, 2, "UNDECIDED", -1},
		"no base":       {map[string]string{"command": "true", "base": "/nonexistent"}, 2, "UNDECIDED", -1},
		"it fails": {map[string]string{"command": "exit 3", "base": t.TempDir()}, 2, "the command ended with status 3",
			-1},
		"no Metal in it": {map[string]string{"command": "true", "base": t.TempDir()}, 2, "made no Metal call", -1},
		"no number": {map[string]string{"command": "true", "base": t.TempDir(), "runs": "$(touch oops)"}, 2,
			"is a number", -1},
	} {
		c.with["junit"] = filepath.Join(t.TempDir(), "junit")
		if c.with["mtrace"] == "" {
			c.with["mtrace"] = tool.mtrace
		}
		dir := t.TempDir()
		got := runAction(t, dir, c.with)
		want := []string{"pass", "fail", "undecided"}[c.exit]
		if got.exit != c.exit || got.outputs["outcome"] != want || !strings.Contains(got.summary, c.says) {
			t.Errorf("%s: exit status %d, %q, wanted %d\n%s\n%s", name, got.exit, got.outputs, c.exit, got.summary, got.stderr)
		}
		if annotated := strings.Contains(got.stdout+got.stderr, "::error title=mtrace"); annotated != (c.exit != 0) {
			t.Errorf("%s: an annotation: %v\n%s%s", name, annotated, got.stdout, got.stderr)
		}
		if text, err := os.ReadFile(got.outputs["markdown"]); err != nil || string(text) != got.summary {
			t.Errorf("%s: %v, the Markdown is not the summary", name, err)
		}
		if len(files(t, dir)) > 0 {
			t.Errorf("%s: left %q", name, files(t, dir))
		}
		if c.failed < 0 {
			continue
		}
		suites, err := junit.IngestFile(filepath.Join(c.with["junit"], "diff.xml"))
		if err != nil || len(suites) != 1 || suites[0].Totals.Tests == 0 || (suites[0].Totals.Failed > 0) != (c.failed > 0) {
			t.Errorf("%s: JUnit's form: %v, %+v", name, err, suites)
		}
	}
}

// TestActionRecords: with a command, both sides are recorded alternately, each in the folder of its checkout. The
// recording's cost is not tested here.
func TestActionRecords(t *testing.T) {
	t.Parallel()
	needTruth(t)
	base, change, record := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "turns")
	client := buildShapesClient(t)
	for dir, classes := range map[string]string{base: "3", change: "2"} {
		script := fmt.Sprintf("echo %s >>%s; exec %s classes %s\n", classes, record, client, classes)
		if err := os.WriteFile(filepath.Join(dir, "program.sh"), []byte(script), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before, after := filepath.Join(t.TempDir(), "b"), filepath.Join(t.TempDir(), "a")
	got := runAction(t, change, map[string]string{"command": "sh ./program.sh >/dev/null", "base": base, "runs": "2",
		"before": before, "after": after,
		"fail-over": "1e9", "mtrace": tool.mtrace})
	turns, err := os.ReadFile(record)
	if err != nil || string(turns) != "3\n2\n3\n2\n" {
		t.Errorf("%v, recorded %q", err, turns)
	}
	if got.exit != 0 || got.outputs["outcome"] != "pass" || len(files(t, before)) != 2 || len(files(t, after)) != 2 ||
		len(files(t, change)) != 1 {
		t.Errorf("%+v", got)
	}
}
