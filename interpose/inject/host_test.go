package inject

import "testing"

// To a translated mtrace an Apple silicon machine looks like an Intel; the kernel reports the translation.
func TestTranslate(t *testing.T) {
	for _, c := range []struct {
		arm64, translated bool
		arch              string
	}{{false, false, "amd64"}, {true, true, "arm64"}, {true, false, "arm64"}} {
		h := Host{Arch: "amd64"}
		if h.translate(c.arm64, c.translated); h.Arch != c.arch || h.Translated != c.translated {
			t.Errorf("arm64 %v, translated %v: %+v", c.arm64, c.translated, h)
		}
	}
}
