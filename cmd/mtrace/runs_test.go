package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mtrace/cmd/mtrace/internal/cli"
)

// For several traces, or a folder of them, the text report is one line per trace. Sections, JSON and what-if are
// printed in full for each trace in turn.
func TestReportOfSeveralTraces(t *testing.T) {
	t.Parallel()
	needTruth(t)
	folder := t.TempDir()
	kept, err := os.ReadFile("../../fixtures/traces/device-sync.mtrace")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"a.mtrace": kept, "b.mtrace": kept[:len(kept)*2/3], "notes.txt": nil} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := sh(t, folder, nil, tool.mtrace, "report", ".")
	rows := regexp.MustCompile(`(?m)^ *(\S+\.mtrace) .* (device-wide-sync|none) +([\d.]+%)? +([\d.]+%) +([\d.]+ m?s) `+
		`+([\d,]+)(.*)$`).FindAllStringSubmatch(got.stdout, -1)
	if got.exit != cli.ExitUsage || !strings.Contains(got.stderr, "b.mtrace is cut") || len(rows) != 2 ||
		rows[0][1] != "a.mtrace" || rows[0][7] != "" || !strings.Contains(rows[1][7], "CUT") {
		t.Errorf("%q of %+v", rows, got)
	}
	if n := strings.Count(got.stdout, "SOFTWARE METAL"); n != 1 {
		t.Errorf("the kind of Metal is reported %d times", n)
	}
	for _, other := range []string{"log.gz", "old.zip"} {
		if err := os.WriteFile(filepath.Join(folder, other), []byte("no export"), 0o644); err != nil {
			t.Fatal(err)
		}
		if beside := sh(t, folder, nil, tool.mtrace, "report", "."); beside.stdout != got.stdout {
			t.Errorf("with a %s in the folder they are a recording of Instruments: %+v", other, beside)
		}
	}
	wide := sh(t, folder, []string{"COLUMNS=60"}, tool.mtrace, "report", "a.mtrace", "a.mtrace")
	for line := range strings.Lines(wide.stdout) {
		if len([]rune(line)) > 61 {
			t.Errorf("wider than 60 columns: %q", line)
		}
	}
	each := sh(t, folder, nil, tool.mtrace, "report", "--section", "verdict", "a.mtrace", "a.mtrace")
	if each.exit != 0 || strings.Count(each.stdout, "VERDICT: DEVICE-WIDE-SYNC") != 2 {
		t.Errorf("%+v", each)
	}
	empty := t.TempDir()
	if got := sh(t, folder, nil, tool.mtrace, "report", empty); got.exit != cli.ExitUsage ||
		got.stderr != "mtrace report: the folder "+empty+" has no trace (*.mtrace)\n" {
		t.Errorf("%+v", got)
	}
}

// A report is as wide as COLUMNS, within limits; --top sets the length of its tables, and --wide leaves nothing out.
func TestWidthOfReports(t *testing.T) {
	t.Parallel()
	widest := func(env string, flags ...string) (n int, text string) {
		got := sh(t, "../..", []string{env}, tool.mtrace, append([]string{"report", "fixtures/traces/device-sync.mtrace"},
			flags...)...)
		if got.exit != 0 {
			t.Fatalf("%+v", got)
		}
		for line := range strings.Lines(got.stdout) {
			n = max(n, len([]rune(strings.TrimRight(line, "\n"))))
		}
		return n, got.stdout
	}
	for env, most := range map[string]int{"COLUMNS=": 100, "COLUMNS=60": 60, "COLUMNS=80": 80, "COLUMNS=140": 140,
		"COLUMNS=5": 60, "COLUMNS=5000": 140, "COLUMNS=wide": 100} {
		if n, _ := widest(env); n > most || n < most-15 {
			t.Errorf("%s: %d columns", env, n)
		}
	}
	for env, most := range map[string]int{"COLUMNS=": 100, "COLUMNS=60": 60, "COLUMNS=80": 80, "COLUMNS=140": 140} {
		if n, _ := widest(env, "--all"); n > most || n < most-15 {
			t.Errorf("%s --all: %d columns", env, n)
		}
	}
	if n, text := widest("COLUMNS=60", "--wide"); n < 140 || regexp.MustCompile(`… and \d+ (more\n|column)`).MatchString(
		text) {
		t.Errorf("--wide: %d columns: %s", n, text)
	}
	_, usual := widest("COLUMNS=", "--all")
	_, short := widest("COLUMNS=", "--top", "2")
	if a, b := strings.Count(usual, "\n"), strings.Count(short, "\n"); b >= a || !strings.Contains(short, "… and ") {
		t.Errorf("--top 2: %d lines, without it %d", b, a)
	}
}
