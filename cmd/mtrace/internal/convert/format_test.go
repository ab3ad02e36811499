package convert

import (
	"os"
	"regexp"
	"testing"
)

// TestFormatsAreDocumented: docs/export.md has a row for each format, and each row of formats has exactly one kind of
// output.
func TestFormatsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/export.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, f := range ExportFormats {
		if !regexp.MustCompile("(?m)^\\|[^|]*`" + f.Name + "`[^|]*\\|").MatchString(page) {
			t.Errorf("docs/export.md has no row for %s in its table of formats", f.Name)
		}
		writers := 0
		for _, has := range []bool{f.stream != nil, f.file != nil, f.folder != nil} {
			if has {
				writers++
			}
		}
		if writers != 1 || f.Suffix == "" {
			t.Errorf("%s has %d of stream, file and folder, and the suffix %q; want one, and a suffix", f.Name, writers,
				f.Suffix)
		}
	}
}
