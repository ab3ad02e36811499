package cause_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mtrace/analyze/cause"
	"mtrace/fixtures/tracesim"
)

// everydayWords stand for terms that Metal and its tools have: docs/style.md has the glossary.
var (
	everydayWords = regexp.MustCompile(`(?i)\b(everybody\w*|hand(s|ed|ing)? (\w+ ){0,3}(over|to the GPU)|` +
		`hear(s|d|ing)? (back|of)|pieces? of work|ha(s|ve) nothing to do|take turns|of theirs|who feeds|under way|` +
		`make memory|give (it )?back|go on|the interpreter's lock)\b`)

	writtenSentence = regexp.MustCompile(`\.summarize\(\s*"((?:[^"\\]|\\.|"\s*\+\s*")*)"`)
)

const longestSentence = 45 // words

// TestSentencesUseTheFieldsWords: a verdict's sentence names things as Metal, POSIX and other profilers do. Earlier
// sentences used words of their own for synchronisation, submission and completion notification.
func TestSentencesUseTheFieldsWords(t *testing.T) {
	said := map[string]bool{}
	for _, s := range tracesim.Scenarios {
		v := cause.Analyze(load(t, s.Build(1).Run(t)), cause.Options{Unpredicted: true}).Verdict
		said[v.Cause] = true
		t.Logf("%s: %s", v.Cause, v.Summary)
		if words := everydayWords.FindAllString(v.Summary, -1); len(words) > 0 {
			t.Errorf("%s: %q are everyday words for terms of the field: %s", s.Name, words, v.Summary)
		}
		for _, sentence := range strings.Split(v.Summary, ". ") {
			if n := len(strings.Fields(sentence)); n > longestSentence {
				t.Errorf("%s: a sentence of %d words: %s", s.Name, n, sentence)
			}
		}
	}
	if len(said) < 14 {
		t.Errorf("only %v were looked at", said)
	}
	sources, err := filepath.Glob("*.go") // for causes that no simulated program has
	if err != nil {
		t.Fatal(err)
	}
	sentences := 0
	for _, path := range sources {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range writtenSentence.FindAllStringSubmatch(string(source), -1) {
			sentences++
			if words := everydayWords.FindAllString(found[1], -1); len(words) > 0 {
				t.Errorf("%s: %q are everyday words for terms of the field: %s", path, words, found[1])
			}
		}
	}
	if sentences < 20 {
		t.Errorf("only %d sentences were found in the sources", sentences)
	}
}
