package analyze

import "testing"

// TestPrintable: a text of printable characters stays as it is, and control characters do not reach a terminal.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "axpy_f32 {~}": "axpy_f32 {~}", "größer": "größer", "a\tb\nc": "a b c",
		"\x1b[31mred\x7f": "\ufffd[31mred\ufffd",
		"a\u00a0b":        "a b", "\xff": "\ufffd",
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
