package docs

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of verdicts instead of comparing with them")

// A verdict has the sentences of verdicts.md about one.
type verdict struct{ name, means, help string }

func verdicts(t *testing.T) (all []verdict) {
	t.Helper()
	sentence := regexp.MustCompile(`(?s)^(.*?)\.(?:\s|$)`)
	for _, section := range strings.Split(Verdicts, "\n## ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		_, help, found := strings.Cut(text, "\nWhat to do: ")
		if !found {
			t.Errorf("%s: the section has no advice", name)
		}
		one := func(text string) string {
			return strings.Join(strings.Fields(sentence.FindStringSubmatch(text + "\n.\n")[1]), " ")
		}
		all = append(all, verdict{name, one(text), one(help)})
	}
	return all
}

// The table of verdicts in the vocabulary is generated from verdicts.md.
func TestVerdicts(t *testing.T) {
	var means strings.Builder
	means.WriteString("| verdict | means |\n|---|---|\n")
	for _, v := range verdicts(t) {
		if v.name == "foreign-gpu-load" { // a cause that is no verdict
			continue
		}
		fmt.Fprintf(&means, "| `%s` | %s |\n", v.name, v.means)
	}
	for page, want := range map[string]string{"vocabulary.md": means.String()} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		before, rest, _ := strings.Cut(string(text), "<!-- verdicts -->\n")
		_, after, found := strings.Cut(rest, "<!-- /verdicts -->\n")
		whole := before + "<!-- verdicts -->\n" + want + "<!-- /verdicts -->\n" + after
		switch {
		case !found:
			t.Errorf("%s has no place for the table of verdicts", page)
		case *update:
			if err := os.WriteFile(page, []byte(whole), 0o644); err != nil {
				t.Error(err)
			}
		case whole != string(text):
			t.Errorf("the table of verdicts in %s is not current: go test ./docs -update", page)
		}
	}
}
