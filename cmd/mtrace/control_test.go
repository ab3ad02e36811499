package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/creack/pty"

	"mtrace/collector/tracefile"
)

// steering is a text with control characters for terminals: ESC, CSI of C1, BEL, DEL, NEL, and an OSC that sets the
// title.
const steering = "\x1b[31m\u009b7m\x07\x7f\u0085\u009d0;title\u009c"

// hostileTrace makes a trace whose names and labels steer terminals, from the text form of another.
func hostileTrace(t *testing.T, from string) string {
	t.Helper()
	reader, err := tracefile.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var text, changed bytes.Buffer
	if err := reader.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	said, _ := json.Marshal(steering)
	said = said[1 : len(said)-1]
	facts := 0
	for _, line := range bytes.SplitAfter(text.Bytes(), []byte("\n")) {
		if at := bytes.Index(line, []byte(`"text":"`)); at >= 0 && bytes.Contains(line, []byte(`"fact"`)) {
			at += len(`"text":"`)
			if end := bytes.LastIndex(line, []byte(`"`)); end > at {
				line = bytes.Join([][]byte{line[:end], line[end:]}, said)
				facts++
			}
		}
		changed.Write(line)
	}
	path := filepath.Join(t.TempDir(), "hostile.mtrace")
	if err := tracefile.ReadText(&changed, path); err != nil {
		t.Fatal(err)
	}
	if facts < 5 {
		t.Fatalf("only %d texts were changed", facts)
	}
	return path
}

// TestNothingSteersTheTerminal: control characters of the traced program, of files, of their names and of claims reach
// no terminal, from any command. tail printed a U+009B, check printed the ESC of a claim's title, and an error message
// printed the ESC of a file's name.
func TestNothingSteersTheTerminal(t *testing.T) {
	t.Parallel()
	trace := hostileTrace(t, smallTrace(t))
	dir := t.TempDir()
	named := filepath.Join(dir, "na\x1b[31m\u009bme.mtrace")
	claims := filepath.Join(dir, "claims.json")
	title, _ := json.Marshal(steering)
	text, _ := os.ReadFile(trace)
	if err := errors.Join(os.WriteFile(claims,
		[]byte(`{"claims": [{"id": `+string(title)+`, "title": `+string(title)+`, "expr": "gpu.busy_share > 0"},
		{"title": `+string(title)+`, "expr": "gpu.busy_share > 2"}]}`), 0o600),
		os.WriteFile(named, text[:len(text)/2], 0o600)); err != nil {
		t.Fatal(err)
	}
	export := filepath.Join(dir, "export.xml")
	if err := os.WriteFile(export, []byte(hostileExport(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	commands := [][]string{
		{"report", trace}, {"report", "--wide", trace}, {"report", "--json", trace}, {"report", trace, trace},
		{"report", named}, {"report", named + "x"},
		{"tail", trace}, {"tail", named}, {"check", "--claims", claims, trace}, {"check", "--claims", claims, "--json",
			trace},
		{"check", "--claims", claims, "--markdown", trace}, {"check", "--claims", claims, "--github", trace},
		{"check", "--claims", named, trace},
		{"diff", trace, trace}, {"diff", "--json", trace, trace}, {"repair", named, "-o", filepath.Join(dir, "repaired")},
		{"explain", steering},
		{steering}, {"report", "--" + steering}, {"report", "--section", steering, trace}, {"report", "--thread", steering,
			trace}, {"report", "--what-if", steering, trace},
		{"xctrace", export}, {"xctrace", "--json", export}, {"xctrace", named}, {"export", trace, "--format", steering, "-o",
			"x"}, {"pprof", trace, "--type", steering, "-o", "x"},
		{"run", "--", "./no" + steering}, {"doctor", "--no-self-test", "--", "./no" + steering},
		{"doctor", "--no-self-test", "--json", "--", "./no" + steering},
		{"sweep", "--threads", "1", "--", "sh", "-c", "printf '" + strings.ReplaceAll(steering, "'", "") + "'; exit 3",
			"{threads}"},
	}
	for _, args := range commands {
		got := sh(t, dir, nil, tool.mtrace, args...)
		for name, text := range map[string]string{"output": got.stdout, "error": got.stderr} {
			if at := strings.IndexFunc(text, func(r rune) bool {
				return unicode.IsControl(r) && r != '\n' &&
					r != '\t'
			}); at >= 0 {
				t.Errorf("%q: standard %s has %q", args, name, text[max(0, at-60):min(len(text), at+20)])
			}
		}
		if got.stdout+got.stderr == "" && args[0] != "repair" {
			t.Errorf("%q says nothing", args)
		}
	}
	for _, args := range [][]string{{"report", trace}, {"check", "--claims", claims, trace},
		{"export", trace, "--format", "jsonl", "-o", "-"},
		{"pprof", trace, "--type", "api", "--format", "folded", "-o", "-"}, {"report", "--html", "-", trace}} {
		seen := onTerminal(t, args)
		for _, bad := range []string{"\x1b[31m\u009b", "\u009b", "\x07", "\u009d", "\x7f"} {
			if strings.Contains(seen, bad) {
				t.Errorf("%q on a terminal has %q", args, bad)
			}
		}
		if len(seen) < 40 {
			t.Errorf("%q on a terminal: %q", args, seen)
		}
	}
}

// hostileExport is an export of Instruments with names that steer terminals, as far as XML has such characters.
func hostileExport(t *testing.T) string {
	t.Helper()
	paths, _ := filepath.Glob("../../fixtures/xctrace/recording/*.xml")
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err == nil && bytes.Contains(text, []byte("metal-gpu-intervals")) && bytes.Contains(text, []byte("fmt=\"")) {
			return strings.ReplaceAll(string(text), `fmt="`, "fmt=\"\u009b7m\u0085")
		}
	}
	t.Fatal("no export with GPU intervals")
	return ""
}

// onTerminal returns a command's output on a terminal.
func onTerminal(t *testing.T, args []string) string {
	t.Helper()
	cmd := exec.Command(tool.mtrace, args...)
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	screen, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	endInTime(t, cmd)
	seen, _ := io.ReadAll(screen) // which ends with an error when the other side is closed
	cmd.Wait()
	return string(seen)
}
