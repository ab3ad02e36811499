package gate

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the goldens anew")

// sample has names as programs choose them. No output format may mistake them for its own syntax.
func sample() *Gate {
	return &Gate{
		Command: "mtrace diff", Name: "before → after", Warnings: []string{"the trace is cut: 3 threads, 50% of the time"},
		Notes:   []string{"verdict: gpu-bound on both sides"},
		Columns: []string{"change", "A", "B"},
		Cases: []Case{
			{Name: "kernel same", Quiet: true, Cells: []string{"same", "1 ms", "1 ms"}},
			{Name: "kernel mul<float4>|@team #12 *x* [a](https://b)", Outcome: Failed,
				Why: "slower by more than 10%: 1 ms → 2 ms\n::error::not ours", Detail: "1 ms → 2 ms",
				Cells: []string{"slower", "1 ms", "2 ms"}},
			{Name: "call commit", Outcome: Skipped, Why: "too few", Cells: []string{"untested", "1 µs", ""}},
			{Name: "thread worker_1", Cells: []string{"faster", "2 ms", "1 ms"}},
		},
	}
}

func TestForms(t *testing.T) {
	g := sample()
	for name, write := range map[string]func(*bytes.Buffer) error{
		"gate.xml":    func(b *bytes.Buffer) error { return g.WriteJUnit(b) },
		"gate.md":     func(b *bytes.Buffer) error { return g.WriteMarkdown(b) },
		"gate.github": func(b *bytes.Buffer) error { return g.WriteAnnotations(b) },
	} {
		var got bytes.Buffer
		if err := write(&got); err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(golden); err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s (%v): go test -update writes it anew; got\n%s", golden, err, got.Bytes())
		}
	}
}

// If nothing is decided, no output format reports a pass. A comparison without a limit was a PASS in Markdown, whatever
// had become slower, and so was a comparison with a trace that could be read only in half.
func TestUndecided(t *testing.T) {
	g := sample()
	g.Undecided = "b.mtrace is cut"
	var markdown, annotations, junit bytes.Buffer
	if err := errors.Join(g.WriteMarkdown(&markdown), g.WriteAnnotations(&annotations), g.WriteJUnit(&junit)); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(markdown.String(), "### mtrace diff: UNDECIDED\n") || !strings.Contains(markdown.String(),
		g.Undecided) || strings.Contains(markdown.String(), "pass") {
		t.Error(markdown.String())
	}
	if !strings.HasPrefix(annotations.String(), "::error title=mtrace diff::b.mtrace is cut\n") {
		t.Error(annotations.String())
	}
	var back suites
	if err := xml.Unmarshal(junit.Bytes(), &back); err != nil || back.Suites[0].Errors != 1 ||
		back.Suites[0].Tests != 5 || back.Suites[0].Cases[0].Error.Message != g.Undecided {
		t.Errorf("%v: %+v", err, back)
	}
}

// A program's names are never interpreted as Markdown, as a workflow command, or as a mention of a person or an issue.
func TestNamesAreNames(t *testing.T) {
	var markdown, annotations, junit bytes.Buffer
	g := sample()
	if err := g.WriteMarkdown(&markdown); err != nil {
		t.Fatal(err)
	}
	for _, active := range []string{"@team", "#12", "<float4>", "*x*", "[a](", "https://"} {
		if strings.Contains(markdown.String(), active) {
			t.Errorf("Markdown holds %q", active)
		}
	}
	if err := g.WriteAnnotations(&annotations); err != nil || strings.Count(annotations.String(), "\n") != 2 {
		t.Errorf("%v: %d lines of one warning and one error:\n%s", err, strings.Count(annotations.String(), "\n"),
			annotations.String())
	}
	var back suites
	if err := g.WriteJUnit(&junit); err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(junit.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if s := back.Suites[0]; s.Tests != 4 || s.Failures != 1 || s.Skipped != 1 || s.Cases[1].Name != g.Cases[1].Name {
		t.Errorf("%+v", s)
	}
}
