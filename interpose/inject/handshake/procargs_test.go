package handshake

import (
	"strings"
	"testing"
)

func TestExecutableIn(t *testing.T) {
	for raw, want := range map[string]string{
		"\x02\x00\x00\x00/usr/bin/python3\x00\x00\x00python3\x00-c\x00HOME=/\x00": "/usr/bin/python3",
		"\x01\x00\x00\x00/a path/with spaces\x00":                                 "/a path/with spaces",
		"\x01\x00\x00\x00\x00":                                                    "", // of the kernel's own
		"\x01\x00\x00\x00/cut":                                                    "", // the rest is not known
		"\x01\x00\x00\x00":                                                        "",
		"\x01":                                                                    "",
		"":                                                                        "",
	} {
		if got := executableIn([]byte(raw)); got != want {
			t.Errorf("%q: %q, not %q", raw, got, want)
		}
	}
}

func FuzzExecutableIn(f *testing.F) {
	f.Add([]byte("\x02\x00\x00\x00/usr/bin/python3\x00\x00python3\x00"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if path := executableIn(raw); strings.Contains(path, "\x00") || len(path) > len(raw) {
			t.Errorf("%q of %q", path, raw)
		}
	})
}
