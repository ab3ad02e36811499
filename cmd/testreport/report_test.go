package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// tests runs the tests of a module with the given files and returns the report's text about go test's output.
func tests(t *testing.T, files map[string]string) (text string, r *report) {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module m\n\ngo 1.24\n"
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", "-p", "1", "-json", "./...") // in their order
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	events, _ := cmd.Output() // its status is not what is tested
	var out bytes.Buffer
	r, err := read(bytes.NewReader(events), &out)
	if err != nil {
		t.Fatalf("%v\n%s", err, events)
	}
	if err := r.finish(&out); err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`\(\d[^)]*\)`).ReplaceAllString(out.String(), "(…)"), r
}

const passing = `package m

import "testing"

func TestPlain(t *testing.T) { t.Log("not for the report") }

func TestRows(t *testing.T) {
	for _, name := range []string{"one", "two"} {
		t.Run(name, func(t *testing.T) { t.Parallel() })
	}
}
`

// Tests are counted once: not again for the test that they are in.
func TestPassedTestsAreCounted(t *testing.T) {
	text, r := tests(t, map[string]string{"m_test.go": passing, "empty/e.go": "package empty\n"})
	if want := "ok    m (…)\n\n3 passed, 0 failed, 0 skipped\n"; text != want || !r.good() {
		t.Errorf("good %v:\n%s\nshould be\n%s", r.good(), text, want)
	}
}

// The reason for a skip was not shown: go test prints it only if every line of every test is requested.
func TestSkipsAreListedWithTheirReasons(t *testing.T) {
	text, r := tests(t, map[string]string{"m_test.go": passing, "skip/s_test.go": `package skip

import "testing"

func TestMute(t *testing.T) { t.SkipNow() }

func TestTool(t *testing.T) {
	t.Log("looked everywhere")
	t.Skip("no such tool: apt-get install it")
}

func TestPart(t *testing.T) {
	t.Run("first", func(t *testing.T) { t.Skipf("needs %d processors", 900) })
	t.Run("second", func(t *testing.T) {})
}
`})
	want := `ok    m (…)
ok    m/skip (…)

skipped:
  m/skip TestMute: no reason given
  m/skip TestTool: s_test.go:8: looked everywhere s_test.go:9: no such tool: apt-get install it
  m/skip TestPart/first: s_test.go:13: needs 900 processors

4 passed, 0 failed, 3 skipped
`
	if text != want || !r.good() {
		t.Errorf("good %v:\n%s\nshould be\n%s", r.good(), text, want)
	}
}

// Every failure is counted and shown with its output: a test that fails, a process that ends in the middle, a package
// that does not compile.
func TestFailuresAreShown(t *testing.T) {
	for name, row := range map[string]struct {
		file  string
		says  []string
		count string
		again string // what may have been chance
	}{
		"a test": {"func TestIt(t *testing.T) { t.Run(\"inner\", func(t *testing.T) { t.Error(\"seven is not eight\") }) }",
			[]string{"seven is not eight", "failed:\n  m/bad TestIt/inner\n"}, "3 passed, 1 failed, 0 skipped\n",
			"m/bad ^TestIt$/^inner$\n"},
		"many tests": {"func TestIt(t *testing.T) { for _, name := range []string{\"a\", \"b\", \"c\", \"d\"} { " +
			"t.Run(name, func(t *testing.T) { t.Fail() }) } }",
			[]string{"failed:\n  m/bad TestIt/a\n"}, "3 passed, 4 failed, 0 skipped\n", ""},
		"a data race": {"func TestIt(t *testing.T) { os.Stderr.WriteString(\"WARNING: DATA RACE\\n\"); t.Fail() }",
			[]string{"DATA RACE", "failed:\n  m/bad TestIt\n"}, "3 passed, 1 failed, 0 skipped\n", ""},
		"an exit in the middle": {"func TestIt(t *testing.T) { os.Stdout.WriteString(\"good bye\\n\"); os.Exit(3) }",
			[]string{"good bye", "failed:\n  m/bad TestIt\n"}, "3 passed, 1 failed, 0 skipped\n", ""},
		"a panic in a goroutine": {"func TestIt(t *testing.T) { go panic(\"all is lost\"); select {} }",
			[]string{"panic: all is lost", "failed:\n  m/bad TestIt\n"}, "3 passed, 1 failed, 0 skipped\n", ""},
		"code that runs before all tests": {"func TestMain(*testing.M) { os.Stdout.WriteString(\"no disk\\n\"); os.Exit(1) }",
			[]string{"no disk", "failed:\n  m/bad\n"}, "3 passed, 1 failed, 0 skipped\n", ""},
		"a build": {"func TestIt(t *testing.T) { missing() }",
			[]string{"undefined: missing", "failed:\n  m/bad\n"}, "3 passed, 1 failed, 0 skipped\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, r := tests(t, map[string]string{"m_test.go": passing, "bad/b_test.go": "package bad\n\nimport " +
				"(\n\t\"os\"\n\t\"testing\"\n)\n\nvar _ = os.Args\n\n" + row.file + "\n\nvar _ testing.TB\n"})
			for _, part := range append(row.says, row.count) {
				if !strings.Contains(text, part) {
					t.Errorf("not said: %q, in\n%s", part, text)
				}
			}
			if r.good() || !strings.HasSuffix(text, row.count) {
				t.Errorf("good %v:\n%s", r.good(), text)
			}
			if again := r.again(); again != row.again {
				t.Errorf("to be run again: %q, should be %q", again, row.again)
			}
		})
	}
}

// No test at all is no success: a pipe from something else, or from nothing.
func TestNothingIsNotGood(t *testing.T) {
	if _, err := read(strings.NewReader("ok\n"), &bytes.Buffer{}); err == nil {
		t.Error("a text without an event was accepted as a run of tests")
	}
	if text, r := tests(t, map[string]string{"m.go": "package m\n"}); r.good() {
		t.Errorf("a run without a test was good:\n%s", text)
	}
}
