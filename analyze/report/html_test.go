package report

import (
	"regexp"
	"testing"
)

// TestEachTableScrolls: a table wider than the window scrolls in a box of its own. Five tables did not, and the page
// scrolled with them. Only a test in a browser found that (analyze/page's TestPaper), and there was no browser where
// they were written.
func TestEachTableScrolls(t *testing.T) {
	tables := regexp.MustCompile(`(?s).{0,20}<table`).FindAllString(page, -1)
	if len(tables) < 10 {
		t.Fatalf("%d tables are found in the page", len(tables))
	}
	for _, table := range tables {
		if !regexp.MustCompile(`<div class="scroll"><table$`).MatchString(table) {
			t.Errorf("a table that cannot scroll: %s", table)
		}
	}
}
