package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLinks: each link of a page leads to a file of the project, and to a heading of it if it names one. Pages named
// each other between backquotes, which is no link, and links led to sections that had moved.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\[[^\]\n]*\]\(([^)\s]+)\)`)
	fenced := regexp.MustCompile("(?s)```.*?```")
	unlinked := regexp.MustCompile("`docs/[a-z-]+\\.md`")
	seen := 0
	for _, pattern := range []string{"*.md", "commands/*.md", "../*.md", "../fixtures/*/*.md", "../interpose/*.md"} {
		pages, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			text := fenced.ReplaceAllString(read(t, page), "")
			for _, m := range link.FindAllStringSubmatch(text, -1) {
				path, heading, _ := strings.Cut(m[1], "#")
				if strings.Contains(path, "://") {
					continue
				}
				seen++
				target := page
				if path != "" {
					target = filepath.Join(filepath.Dir(page), path)
				}
				if _, err := os.Stat(target); err != nil {
					t.Errorf("%s links to %s: %v", page, m[1], err)
				} else if heading != "" && !anchors(read(t, target))[heading] {
					t.Errorf("%s links to %s: the page has no such heading", page, m[1])
				}
			}
			if page != "terms.md" && page != "verdicts.md" && page != "wire.md" { // the tool prints the first two
				if name := unlinked.FindString(text); name != "" {
					t.Errorf("%s names %s without a link", page, name)
				}
			}
		}
	}
	if seen < 80 {
		t.Errorf("only %d links were followed", seen)
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

// anchors are the names by which the headings of a page are linked to, as GitHub makes them.
func anchors(page string) map[string]bool {
	all := map[string]bool{}
	dropped := regexp.MustCompile(`[^a-z0-9 _-]`)
	for line := range strings.Lines(page) {
		if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") {
			name := dropped.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			all[strings.ReplaceAll(name, " ", "-")] = true
		}
	}
	return all
}
