package report

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mtrace/analyze"
)

// docs/vocabulary.md has the parts of time and the verdicts of the code: all of them, and no others.
func TestVocabulary(t *testing.T) {
	page, err := os.ReadFile("../../docs/vocabulary.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := func(section string) (words []string) {
		_, rest, _ := strings.Cut(string(page), "## "+section+"\n")
		rest, _, _ = strings.Cut(rest, "\n## ")
		for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(rest, -1) {
			words = append(words, m[1])
		}
		return words
	}
	var parts []string
	for p := range analyze.Part(analyze.PartCount) {
		parts = append(parts, p.Key())
	}
	if got := listed("Parts of a thread's time"); !slices.Equal(got, parts) {
		t.Errorf("the page has the parts %v, the code %v", got, parts)
	}
	source, err := os.ReadFile("../cause/cause.go")
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(source), "const (\n\tDeviceWideSync ")
	if !found {
		t.Fatal("analyze/cause/cause.go has no list of verdicts that begins with DeviceWideSync")
	}
	block, _, _ = strings.Cut(block, "\n)")
	var verdicts []string
	for _, m := range regexp.MustCompile(`= "([a-z-]+)"`).FindAllStringSubmatch(block, -1) {
		verdicts = append(verdicts, m[1])
	}
	if got := slices.Sorted(slices.Values(listed("Verdicts"))); !slices.Equal(got,
		slices.Sorted(slices.Values(verdicts))) {
		t.Errorf("the page has the verdicts %v, the code %v", got, verdicts)
	}
}
