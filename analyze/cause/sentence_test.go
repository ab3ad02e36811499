package cause_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"mtrace/analyze/cause"
	"mtrace/analyze/tracesim"
)

// What a reader who does not know Metal would have to look up, and what is in brackets, for who does.
var (
	metalsWords = regexp.MustCompile(`(?i)\b(command buffers?|commit\w*|encod\w+|enqueued?|dispatch\w*|pipelines?|libraries|library|completion handlers?|serializ\w+|in flight|submit\w*)\b`)
	inBrackets  = regexp.MustCompile(`\([^)]*\)`)

	writtenSentence = regexp.MustCompile(`\.sum\("((?:[^"\\]|\\.|"\s*\+\s*")*)"`)
)

// TestSentencesAreForEveryone: the verdict's sentence, read aloud, makes sense to someone who does not know Metal.
// "Threads spend 40% of their time making libraries and pipeline states" did not, nor did "Command buffers stand
// behind other threads' in a queue".
func TestSentencesAreForEveryone(t *testing.T) {
	said := map[string]bool{}
	for _, s := range tracesim.Scenarios {
		v := cause.Analyze(load(t, s.Build(1).Run(t)), cause.Options{Unpredicted: true}).Verdict
		said[v.Cause] = true
		t.Logf("%s: %s", v.Cause, v.Summary)
		if words := metalsWords.FindAllString(inBrackets.ReplaceAllString(v.Summary, ""), -1); len(words) > 0 {
			t.Errorf("%s: %q are Metal's words: %s", s.Name, words, v.Summary)
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
			if words := metalsWords.FindAllString(inBrackets.ReplaceAllString(found[1], ""), -1); len(words) > 0 {
				t.Errorf("%s: %q are Metal's words: %s", path, words, found[1])
			}
		}
	}
	if sentences < 20 {
		t.Errorf("only %d sentences were found in the sources", sentences)
	}
}
