package main

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/analyze/claims"
	"mtrace/cmd/mtrace/internal/cli"
)

// claimsFile writes claims, one expression each, and returns its path.
func claimsFile(t *testing.T, expressions ...string) string {
	t.Helper()
	type claim struct {
		Expr string `json:"expr"`
	}
	var list []claim
	for _, e := range expressions {
		list = append(list, claim{e})
	}
	text, err := json.Marshal(map[string]any{"claims": list})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "claims.json")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCheck(t *testing.T) {
	trace := smallTrace(t)
	const (
		holds   = `calls[selector="commit"].count >= 40`
		fails   = `count(threads) > 100`
		skipped = `calls[selector="newSharedEvent"].p50_ns < 1us`
	)
	for _, c := range []struct {
		name   string
		claims []string
		flags  []string
		exit   int
		want   [3]int // passed, failed, skipped
	}{
		{"all hold", []string{holds, `source.software_metal == true or gpu.busy_share > 0`}, nil, 0, [3]int{2, 0, 0}},
		{"one fails", []string{holds, fails, skipped}, nil, 1, [3]int{1, 1, 1}},
		{"one is skipped", []string{holds, skipped}, nil, 0, [3]int{1, 0, 1}},
		{"skipping is not enough", []string{holds, skipped}, []string{"--strict"}, 1, [3]int{1, 0, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			junit := filepath.Join(t.TempDir(), "junit.xml")
			args := append([]string{"check", trace, "--json", "--junit", junit, "--claims", claimsFile(t, c.claims...)},
				c.flags...)
			got := sh(t, "", nil, tool.mtrace, args...)
			var doc claims.Document
			if err := json.Unmarshal([]byte(got.stdout), &doc); err != nil || got.exit != c.exit || got.stderr != "" {
				t.Fatalf("%v: %+v", err, got)
			}
			if found := [3]int{doc.Passed, doc.Failed, doc.Skipped}; doc.Schema != claims.Schema || found != c.want {
				t.Errorf("%s: %v, want %v: %+v", doc.Schema, found, c.want, doc.Results)
			}
			var suites struct {
				Suite struct {
					Tests    int `xml:"tests,attr"`
					Failures int `xml:"failures,attr"`
				} `xml:"testsuite"`
			}
			text, err := os.ReadFile(junit)
			if err == nil {
				err = xml.Unmarshal(text, &suites)
			}
			if err != nil || suites.Suite.Tests != len(c.claims) || suites.Suite.Failures != c.want[1] {
				t.Errorf("JUnit: %v, %+v", err, suites)
			}
		})
	}
}

// The output for a continuous integration server: the decision as Markdown on standard output, and annotations.
func TestCheckForOthersServers(t *testing.T) {
	trace := smallTrace(t)
	list := claimsFile(t, `calls[selector="commit"].count >= 40`, `gpu.busy_share > 2`)
	got := sh(t, "", nil, tool.mtrace, "check", trace, "--markdown", "--github", "--claims", list)
	if got.exit != 1 || !strings.HasPrefix(got.stdout, "### mtrace check: FAIL\n") ||
		!strings.Contains(got.stdout, "1 passed, 1 failed, 0 skipped") ||
		!strings.Contains(got.stderr, "::error title=mtrace check gpu.busy_share > 2::") ||
		!strings.Contains(got.stderr, "::warning title=mtrace check::SOFTWARE METAL") ||
		strings.Count(got.stderr, "\n") != 2 {
		t.Errorf("%+v", got)
	}
	got = sh(t, "", nil, tool.mtrace, "diff", "--fail-over", "10", "--markdown", trace, trace)
	if got.exit != 0 || !strings.HasPrefix(got.stdout, "### mtrace diff: PASS\n") || got.stderr != "" {
		t.Errorf("%+v", got)
	}
	got = sh(t, "", nil, tool.mtrace, "diff", "--markdown", trace, trace) // without a limit
	if got.exit != 0 || !strings.HasPrefix(got.stdout, "### mtrace diff: UNDECIDED\n") {
		t.Errorf("%+v", got)
	}
	cut := filepath.Join(t.TempDir(), "cut.mtrace")
	whole, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cut, whole[:len(whole)*9/10], 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"check", cut, "--claims", list}, {"diff", "--fail-over", "10", trace, cut}} {
		if got := sh(t, "", nil, tool.mtrace, append(args, "--markdown", "--github")...); got.exit != cli.ExitUsage ||
			!strings.Contains(got.stdout, ": UNDECIDED\n") ||
			!strings.Contains(got.stderr, "::error title=mtrace "+args[0]+"::") {
			t.Errorf("%q of a part: %+v", args, got)
		}
	}
	refused(t, t.TempDir(), map[string]struct {
		args []string
		says string
	}{
		"two forms":        {[]string{"check", trace, "--json", "--markdown", "--claims", list}, "give one of them"},
		"nothing can fail": {[]string{"diff", "--github", trace, trace}, "--fail-over"},
		"a side as the suite": {[]string{"diff", "--fail-over", "10", "--force", "--junit", trace, cut, trace},
			"is the input"},
		"claims as the suite": {[]string{"check", trace, "--force", "--junit", list, "--claims", list}, "is the input"},
		"nothing for a suite": {[]string{"diff", "--junit", "x.xml", trace, trace}, "--fail-over"},
	})
}

// The claims that come with the project can be decided of any trace.
func TestCheckOfTheFixture(t *testing.T) {
	got := sh(t, "", nil, tool.mtrace, "check", smallTrace(t), "--json", "--claims",
		filepath.Join(filepath.Dir(workload(t)), "claims", "workload.json"))
	var doc claims.Document
	if err := json.Unmarshal([]byte(got.stdout), &doc); err != nil || got.exit > 1 || doc.Passed+doc.Failed < 6 ||
		doc.Results[0].Status != claims.Pass {
		t.Errorf("%v: %+v", err, got)
	}
}

// A report that was kept is checked as its trace is.
func TestCheckOfAReport(t *testing.T) {
	trace := smallTrace(t)
	path := filepath.Join(t.TempDir(), "report.json")
	if err := os.WriteFile(path, []byte(sh(t, "", nil, tool.mtrace, "report", "--json", trace).stdout),
		0o644); err != nil {
		t.Fatal(err)
	}
	list := claimsFile(t, `calls[selector="commit"].count >= 40`, `kernels[0].gpu_ns > 0`,
		`serialization.verdict == "none"`)
	a, b := sh(t, "", nil, tool.mtrace, "check", trace, "--claims", list), sh(t, "", nil, tool.mtrace, "check", path,
		"--claims", list)
	if a.exit != b.exit || a.stdout != b.stdout || !strings.Contains(a.stdout, "PASS") {
		t.Errorf("of the trace:  %+v\nof the report: %+v", a, b)
	}
}

func TestCheckRefuses(t *testing.T) {
	trace := smallTrace(t)
	dir := t.TempDir()
	good := claimsFile(t, `events > 1`)
	for name, content := range map[string]string{
		"syntax.json": "{\"claims\": [\n {\"expr\": \"gpu.busy_share >\"}\n]}",
		"key.json":    "{\"claims\": [\n\n {\"expr\": \"gpu.bussy_share > 1\"}]}",
		"cut.json":    "{\"claims\": [", "empty.json": "", "text": "hello\n", "foreign.json": `{"a": 1}`,
		"bad.json": `{"schema": "mtrace.report/1"`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	refused(t, dir, map[string]struct {
		args []string
		says string
	}{
		"nothing":           {[]string{"check"}, "give one trace or report"},
		"no file of claims": {[]string{"check", trace}, "no file of claims"},
		"missing claims":    {[]string{"check", trace, "--claims", "none.json"}, "reading the claims"},
		"bad syntax":        {[]string{"check", trace, "--claims", "syntax.json"}, "syntax.json:2: claim 1: expr: column 17"},
		"a misspelt key": {[]string{"check", trace, "--claims", "key.json"},
			`key.json:3: claim 1: expr: column 5: no key "bussy_share"`},
		"cut claims":     {[]string{"check", trace, "--claims", "cut.json"}, "cut.json:1: not JSON"},
		"empty claims":   {[]string{"check", trace, "--claims", "empty.json"}, "empty.json:1: not JSON"},
		"missing trace":  {[]string{"check", "none", "--claims", good}, "no such file"},
		"a text":         {[]string{"check", "text", "--claims", good}, "not an .mtrace file"},
		"a foreign file": {[]string{"check", "foreign.json", "--claims", good}, "mtrace did not write it"},
		"a cut document": {[]string{"check", "bad.json", "--claims", good}, "not JSON"},
		"a folder":       {[]string{"check", dir, "--claims", good}, dir},
		"a bad junit":    {[]string{"check", trace, "--claims", good, "--junit", "none/x.xml"}, "there is no folder none"},
		"claims of a bench": {[]string{"check", trace, "--claims", filepath.Join(filepath.Dir(workload(t)), "claims",
			"field-reports.json")}, "mtrace.bench-claims/1"},
	})
}
