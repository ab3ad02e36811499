package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write generated parts of README.md instead of comparing with them")

// The README's list of commands is made from the table of commands.
func TestReadmeListsCommands(t *testing.T) {
	var b strings.Builder
	b.WriteString("\n| command | does |\n|---|---|\n")
	for _, c := range commands() {
		firstLine, _, _ := strings.Cut(c.usage, "\n")
		fmt.Fprintf(&b, "| `mtrace %s %s` | %s |\n", c.name, strings.ReplaceAll(firstLine, "|", `\|`), c.summary)
	}
	b.WriteString("\n")
	const path = "../../README.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	part := regexp.MustCompile(`(?s)<!-- commands -->\n.*?<!-- /commands -->`)
	want := part.ReplaceAllLiteralString(string(text), "<!-- commands -->"+b.String()+"<!-- /commands -->")
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Error("README.md lists other commands than there are; run go test ./cmd/mtrace -run Readme -update")
	}
}

// What the README names is there.
func TestReadmeNamesWhatIsThere(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range regexp.MustCompile("`((?:docs|fixtures|interpose|analyze|collector|shaders)/[^` ]*)`").FindAllStringSubmatch(string(text), -1) {
		if _, err := os.Stat("../../" + name[1]); err != nil {
			t.Errorf("README.md names %s: %v", name[1], err)
		}
	}
}
