package darwin

import (
	"bytes"
	"debug/macho"
	"slices"
	"testing"

	gomacho "github.com/blacktop/go-macho"
	"github.com/blacktop/go-macho/pkg/codesign"
	"github.com/blacktop/go-macho/pkg/codesign/types"
	machotypes "github.com/blacktop/go-macho/types"
)

// images returns the whole files for tests: programs that Go's linker wrote and we signed, and each slice that cross.sh
// built, if it did.
func images(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, arch := range []string{"arm64", "amd64"} {
		signed, err := Sign(program(t, arch), "program")
		if err != nil {
			t.Fatal(err)
		}
		all["program of Go, "+arch] = signed
	}
	for _, name := range built {
		for _, image := range builtSlices(t, name) {
			m, err := readMachO(image)
			if err != nil {
				t.Fatal(err)
			}
			all[name+", "+macho.Cpu(m.cpu).String()] = image
		}
	}
	return all
}

func signatureOf(t *testing.T, image []byte) *codesign.CodeSignature {
	t.Helper()
	c := command(image, commandSignature, "")
	signature, err := codesign.ParseCodeSignature(image[le.Uint32(c[8:]):][:le.Uint32(c[12:])])
	if err != nil || len(signature.CodeDirectories) != 1 || len(signature.Errors) > 0 {
		t.Fatalf("%v, %+v", err, signature)
	}
	return signature
}

// TestSignatureAgreesWithGoMacho: another reader of signatures finds the intended content in ours, and another signer
// computes the same hash for each page.
func TestSignatureAgreesWithGoMacho(t *testing.T) {
	for name, image := range images(t) {
		t.Run(name, func(t *testing.T) {
			f, err := parseThin(image)
			if err != nil {
				t.Fatal(err)
			}
			limit, err := f.codeLimit()
			if err != nil {
				t.Fatal(err)
			}
			ours := signatureOf(t, image).CodeDirectories[0]
			if h := ours.Header; h.CodeLimit != uint32(limit) || h.ExecSegBase != f.textStart || h.ExecSegLimit != f.textSize ||
				h.Flags != types.ADHOC|types.LINKER_SIGNED || h.HashType != types.HASHTYPE_SHA256 || h.NSpecialSlots != 0 ||
				ours.ID == "" {
				t.Errorf("%s: %+v", ours.ID, h)
			}
			config := &codesign.Config{ID: ours.ID, Flags: types.ADHOC, CodeSize: uint64(limit), TextOffset: f.textStart,
				TextSize: f.textSize}
			config.InitSlotHashes()
			blob, err := codesign.Sign(bytes.NewReader(image[:limit]), config)
			if err != nil {
				t.Fatal(err)
			}
			theirs, err := codesign.ParseCodeSignature(blob)
			if err != nil {
				t.Fatal(err)
			}
			same := func(a, b types.CodeSlot) bool { return bytes.Equal(a.Hash, b.Hash) }
			if slots := theirs.CodeDirectories[0].CodeSlots; len(slots) != pageCount(limit) ||
				!slices.EqualFunc(slots, ours.CodeSlots, same) {
				t.Errorf("%d pages of ours, %d of theirs, or other hashes", len(ours.CodeSlots), len(slots))
			}
		})
	}
}

// TestBindsAgreeWithGoMacho: the test of the interpose pairs depends on our reader of bind instructions. Another reader
// finds the same in the library.
func TestBindsAgreeWithGoMacho(t *testing.T) {
	each(t, "libmtrace.dylib", func(t *testing.T, image []byte, file *macho.File) {
		ours, err := binds(image, file)
		if err != nil {
			t.Fatal(err)
		}
		other, err := gomacho.NewFile(bytes.NewReader(image))
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := other.GetBindInfo()
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, b := range theirs {
			if b.Kind == machotypes.WEAK_KIND { // of the list that binds leaves out
				continue
			}
			count++
			if at := b.SegStart + b.SegOffset; ours[at].symbol != b.Name {
				t.Errorf("at %#x we find %q, they %q", at, ours[at].symbol, b.Name)
			}
		}
		if count != len(ours) || count == 0 {
			t.Errorf("%d binds of ours, %d of theirs", len(ours), count)
		}
	})
}
