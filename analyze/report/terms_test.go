package report

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mtrace/analyze"
)

// docs/terms.md has the parts of time of the code: all of them, and no others.
func TestPartsOnPage(t *testing.T) {
	_, section, _ := strings.Cut(read(t, "../../docs/terms.md"), "## Parts of a thread's time\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var parts, listed []string
	for p := range analyze.Part(analyze.PartCount) {
		parts = append(parts, p.Key())
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(section, -1) {
		listed = append(listed, m[1])
	}
	if !slices.Equal(listed, parts) {
		t.Errorf("the page has the parts %v, the code %v", listed, parts)
	}
}

// docs/verdicts.md has a section for each verdict of the code, and for a cause that is no verdict.
func TestVerdictsOnPage(t *testing.T) {
	_, block, found := strings.Cut(read(t, "../cause/cause.go"), "const (\n\tDeviceWideSync ")
	if !found {
		t.Fatal("analyze/cause/cause.go has no list of verdicts that begins with DeviceWideSync")
	}
	block, _, _ = strings.Cut(block, "\n)")
	verdicts, listed := []string{"foreign-gpu-load"}, []string(nil)
	for _, m := range regexp.MustCompile(`= "([a-z-]+)"`).FindAllStringSubmatch(block, -1) {
		verdicts = append(verdicts, m[1])
	}
	headings := regexp.MustCompile("(?m)^## ([a-z-]+)$")
	for _, m := range headings.FindAllStringSubmatch(read(t, "../../docs/verdicts.md"), -1) {
		listed = append(listed, m[1])
	}
	slices.Sort(listed)
	if slices.Sort(verdicts); !slices.Equal(listed, verdicts) {
		t.Errorf("the page has the verdicts %v, the code %v", listed, verdicts)
	}
}

// docs/sections.md has each section of the report, in the order in which the report prints them. Tables of the report
// were on no page.
func TestSectionsOnPage(t *testing.T) {
	page := read(t, "../../docs/sections.md")
	table, _, _ := strings.Cut(page, "\n## ")
	var names, listed []string
	for _, s := range sections {
		names = append(names, s.name)
	}
	for _, m := range regexp.MustCompile("(?m)^\\| ((?:`[a-z]+`(?:, )?)+) \\|").FindAllStringSubmatch(table, -1) {
		listed = append(listed, strings.Split(strings.ReplaceAll(m[1], "`", ""), ", ")...)
	}
	if !slices.Equal(listed, names) {
		t.Errorf("the page has the sections %v, the code %v", listed, names)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
