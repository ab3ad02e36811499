package analyze

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestSafeText: no control character gets to a terminal, however the text is cut into writes.
func TestSafeText(t *testing.T) {
	for text, want := range map[string]string{
		"a\tb\nç é €\n":              "a\tb\nç é €\n",
		"\x1b[2J\x07x\x7f\r\x00":     "\uFFFD[2J\uFFFDx\uFFFD\uFFFD\uFFFD",
		"\u009b31m \u0085 \u009d0;t": "\uFFFD31m \uFFFD \uFFFD0;t",
		"\x9b31m \xff \xc2":          "\uFFFD31m \uFFFD ",
		"\x1b[1;31mred\x1b[0m":       "\uFFFD[1;31mred\uFFFD[0m",
	} {
		for step := 1; step <= len(text); step++ {
			var b bytes.Buffer
			w := SafeText(&b, false)
			for rest := text; rest != ""; {
				n := min(step, len(rest))
				if done, err := w.Write([]byte(rest[:n])); err != nil || done != n {
					t.Fatal(done, err)
				}
				rest = rest[n:]
			}
			if b.String() != want {
				t.Errorf("%q by %d becomes %q, want %q", text, step, b.String(), want)
			}
		}
	}
	for text, want := range map[string]string{
		"\x1b[1;31mred\x1b[0m \x1b]0;title\x07": "\x1b[1;31mred\x1b[0m \uFFFD]0;title\uFFFD",
		"\x1b[1;2Hx\x1b":                        "\uFFFD[1;2Hx",
		"\x1b[" + strings.Repeat("1;", 40):      "\uFFFD[" + strings.Repeat("1;", 40),
	} {
		for step := 1; step <= len(text); step++ {
			var b bytes.Buffer
			w := SafeText(&b, true)
			for rest := text; rest != ""; {
				n := min(step, len(rest))
				w.Write([]byte(rest[:n]))
				rest = rest[n:]
			}
			if b.String() != want {
				t.Errorf("coloured %q by %d becomes %q, want %q", text, step, b.String(), want)
			}
		}
	}
}

// TestSafeJSON: a document is the same for its readers.
func TestSafeJSON(t *testing.T) {
	for _, text := range []string{"plain", "\x1b[2J\u009b31m\x7f\u0085", "ç €\u2028", "\x9b"} {
		document, _ := json.Marshal(map[string]string{"label": text})
		var b bytes.Buffer
		w := SafeJSON(&b)
		for i := range document {
			w.Write(document[i : i+1])
		}
		if strings.ContainsAny(b.String(), "\x1b\x7f\u009b\u0085") {
			t.Errorf("%q has control characters", b.String())
		}
		var before, after map[string]string
		if json.Unmarshal(document, &before) != nil || json.Unmarshal(b.Bytes(), &after) != nil ||
			before["label"] != after["label"] {
			t.Errorf("%s became %s", document, b.String())
		}
	}
}
