package main

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write generated parts of pages instead of comparing with them")

const readme = "../../README.md"

// generated compares the part of a page between <!-- name --> and <!-- /name --> with what it should be.
func generated(t *testing.T, page, name, want string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
	part := regexp.MustCompile("(?s)" + begin + ".*?" + end)
	if !part.Match(text) {
		t.Fatalf("%s has no part %q", page, name)
	}
	whole := part.ReplaceAllLiteralString(string(text), begin+want+end)
	if *update {
		if err := os.WriteFile(page, []byte(whole), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if whole != string(text) {
		t.Errorf("the part %q of %s is not current; run go test ./cmd/mtrace -run Readme -update", name, page)
	}
}

// The pictures of README and docs/reading.md are the tool's output for a recorded trace: the verdict, and the threads.
func TestReadmeShowsAReport(t *testing.T) {
	for part, where := range map[string]struct {
		page  string
		flags []string
	}{
		"report":  {readme, nil},
		"threads": {"../../docs/reading.md", []string{"--section", "threads", "--thread", "26248,26249,26250"}},
	} {
		got := sh(t, "../..", nil, tool.mtrace, append([]string{"report", "fixtures/traces/device-sync.mtrace"},
			where.flags...)...)
		if got.exit != 0 {
			t.Fatalf("%+v", got)
		}
		text := got.stdout
		if part == "threads" { // the head is there already
			text = text[strings.Index(text, "THREADS"):]
		}
		generated(t, where.page, part, "```\n"+text+"```\n")
	}
}

// The examples of docs/sections.md that are marked as the demo's are lines of its report.
func TestSectionsPageShowsTheReport(t *testing.T) {
	got := sh(t, "../..", nil, tool.mtrace, "report", "--all", "fixtures/traces/device-sync.mtrace")
	shown := 0
	demo := regexp.MustCompile("(?s)```demo\n(.*?)```")
	for _, block := range demo.FindAllStringSubmatch(documents(t)["docs/sections.md"], -1) {
		for line := range strings.Lines(block[1]) {
			if shown++; !strings.Contains(got.stdout, "\n"+line) {
				t.Errorf("docs/sections.md shows a line that the report does not have: %q", line)
			}
		}
	}
	if shown < 20 {
		t.Errorf("only %d lines are shown", shown)
	}
}

// What a page names is there.
func TestDocumentsNameWhatIsThere(t *testing.T) {
	for path, page := range documents(t) {
		for _, name := range regexp.MustCompile(
			"`((?:docs|fixtures|interpose|analyze|collector|shaders)/[^` ]*)`").FindAllStringSubmatch(page, -1) {
			if _, err := os.Stat("../../" + name[1]); err != nil {
				t.Errorf("%s names %s: %v", path, name[1], err)
			}
		}
	}
}
