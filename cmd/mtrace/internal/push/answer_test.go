package push

import (
	"strings"
	"testing"
	"unicode"
)

// Whatever a server answers is an error or none, and one line.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0x0a, 2, 8, 2})                   // two were left out
	f.Add([]byte{0x0a, 5, 8, 0, 0x12, 1, 'x'})     // a warning alone
	f.Add([]byte{0x0a, 6, 8, 1, 0x12, 2, 0x1b, 7}) // what a terminal would obey
	f.Add([]byte{0x0a, 200})
	f.Fuzz(func(t *testing.T, said []byte) {
		if err := partly(said); err != nil {
			if line := oneLine(err.Error()); line == "" || strings.ContainsFunc(line, unicode.IsControl) {
				t.Errorf("%q", line)
			}
		}
	})
}

func TestPartly(t *testing.T) {
	for said, want := range map[string]string{"": "", "\n\x05\x08\x00\x12\x01x": "",
		"\n\x05\x08\x02\x12\x01x": "the server rejected 2 profiles: x", "\n\x09x": "its answer cannot be read"} {
		err := partly([]byte(said))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", said, err, want)
		}
	}
}
