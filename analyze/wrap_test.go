package analyze

import (
	"slices"
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text, first, then string
		want              []string
	}{
		{"", "- ", "  ", []string{"-"}},
		{"one two", "", "", []string{"one two"}},
		{"four ways äöüß end", "- ", "  ", []string{"- four", "  ways", "  äöüß", "  end"}},
		{"a b c d e f", "", "", []string{"a b c d", "e f"}},
		{"a incomprehensible b", "", " ", []string{"a", " incomprehensible", " b"}},
	} {
		if got := Wrap(strings.Fields(c.text), 7, c.first, c.then); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
