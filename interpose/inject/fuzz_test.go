package inject

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzImage: for any bytes, an image is described or refused, and the description is consistent.
func FuzzImage(f *testing.F) {
	entitled := arm64.signed(SignatureRuntime, entitlementDyldVariables)
	entitled.signature.team, entitled.signature.identifier = "TEAM", "org.example"
	f.Add(arm64.bytes(f))
	f.Add(entitled.bytes(f))
	f.Add(universal(f, false, x86, arm64e))
	f.Add(universal(f, true, x86.asLibrary(), arm64.asLibrary()))
	f.Add([]byte("\x7fELF\x02\x01\x01"))
	f.Add([]byte("#!/bin/sh\n"))
	f.Add([]byte{0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52})
	whole := arm64.bytes(f)
	for _, cut := range []int{4, 12, 28, 40, len(whole) / 2, len(whole) - 1} {
		f.Add(whole[:cut])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, host := range []Host{{OS: "darwin", Arch: "arm64"}, {OS: "darwin", Arch: "amd64"},
			{OS: "linux", Arch: "amd64"}} {
			image, err := parseImage(bytes.NewReader(data), int64(len(data)), host, "")
			if err != nil {
				continue
			}
			if image.Format == "" {
				t.Error("an image without a format")
			}
			if image.Machine == "" && (image.Signature != nil || image.Dynamic) {
				t.Errorf("%+v describes a slice that was not chosen", image)
			}
		}
	})
}

// FuzzSignature gives the blob parser more blobs than complete files would.
func FuzzSignature(f *testing.F) {
	s := signatureBlob{flags: SignatureRuntime, identifier: "a", team: "b", alternate: SignatureRestrict,
		entitlements: map[string]any{entitlementDyldVariables: true, "other": []any{"x"}}}
	f.Add(s.bytes(f))
	f.Add(signatureBlob{}.bytes(f))
	f.Add(blob(magicSuperBlob, []byte{0, 0, 0, 1, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}))
	f.Add(blob(magicSuperBlob, []byte{0xff, 0xff, 0xff, 0xff}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if signature, err := parseSignature(data); (signature == nil) == (err == nil) {
			t.Errorf("signature %v with error %v", signature, err)
		}
	})
}

// FuzzShebang: an accepted line names an interpreter, and names it as it
// is in the file.
func FuzzShebang(f *testing.F) {
	for _, line := range []string{"#!/bin/sh\n", "#! /usr/bin/env  -S a b\n", "#!\n", "#!x", "#!" +
		strings.Repeat("y", 600), "#!/a\x00b\n"} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, head []byte) {
		for _, system := range []string{"linux", "darwin"} {
			s, ok := parseShebang(head, system)
			if !ok {
				continue
			}
			for _, word := range append([]string{s.interpreter}, s.args...) {
				if word == "" || !bytes.Contains(head, []byte(word)) || strings.ContainsAny(word, "\n") {
					t.Errorf("%s: word %q of %q", system, word, head)
				}
			}
		}
	})
}

// FuzzWrapper covers the words of shells and of env.
func FuzzWrapper(f *testing.F) {
	f.Add("#!/bin/sh\n'''exec' /p \"$0\" \"$@\"\n")
	f.Add("#!/bin/bash\nexport A='b'\nexec \"/p\" \"$@\"")
	f.Add(`-S "a b" ${C} \t#`)
	f.Fuzz(func(t *testing.T, text string) {
		if w, ok := parseWrapper([]byte(text), "/s", []string{"1"}); ok && len(w.command) == 0 {
			t.Errorf("a wrapper without a command: %q", text)
		}
		_, _ = splitString(text, nil)
		if command, _, err := followEnv(append([]string{"env"}, strings.Fields(text)...), nil); err == nil &&
			len(command) == 0 {
			t.Errorf("env without a command: %q", text)
		}
	})
}
