package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var hello = Hello{Version: Version, PID: 12, PPID: 1, Program: "/bin/a b", Args: []string{"a", "", "x=y", "\xff\n"},
	Host: "h", OS: "linux", Arch: "arm64", Started: 1 << 60}

func TestHelloRoundTrip(t *testing.T) {
	got, err := DecodeHello(AppendHello(nil, hello))
	if err != nil || !reflect.DeepEqual(got, hello) {
		t.Errorf("%+v, %v", got, err)
	}
	later := append(AppendHello(nil, hello), "color=green\x00"...)
	if got, err := DecodeHello(later); err != nil || !reflect.DeepEqual(got, hello) {
		t.Errorf("an unknown key: %+v, %v", got, err)
	}
	for payload, want := range map[string]string{
		"":                             `has no '='`,
		"version=2\x00pid":             `entry "pid" has no '='`,
		"version=2\x00pid=x\x00":       `pid is "x", not a number`,
		"version=3\x00pid=1\x00":       "wire version 3",
		"version=2\x00pid=-1\x00":      "no process id",
		"version=2\x00started=1e9\x00": "not a number",
	} {
		if _, err := DecodeHello([]byte(payload)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", payload, err)
		}
	}
}

func TestFrameHeaderRoundTrip(t *testing.T) {
	want := FrameHeader{Kind: FrameRecords, Ring: RingCount - 1, Length: 64, Position: 1 << 50}
	b := AppendFrameHeader(nil, want)
	if len(b) != FrameHeaderSize {
		t.Fatalf("%d bytes", len(b))
	}
	if got, err := ReadFrameHeader(bytes.NewReader(b)); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := ReadFrameHeader(bytes.NewReader(nil)); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	if _, err := ReadFrameHeader(bytes.NewReader(b[:10])); err != io.ErrUnexpectedEOF {
		t.Errorf("in the middle: %v", err)
	}
	for name, change := range map[string]func([]byte){
		"begins with":    func(b []byte) { b[0] = 'X' },
		"unknown kind":   func(b []byte) { b[4] = 99 },
		"but there are":  func(b []byte) { b[7] = 1 },
		"longer than":    func(b []byte) { b[11] = 1 },
		"cannot have 65": func(b []byte) { b[8] = 65 },
	} {
		c := slices.Clone(b)
		change(c)
		if _, err := ReadFrameHeader(bytes.NewReader(c)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFactRoundTrip(t *testing.T) {
	for _, text := range []string{"", "a", "sixteen bytes...", strings.Repeat("x", MaxFactText)} {
		want := Fact{Kind: FactClass, Aux: 3, Key: 1 << 63, Text: text}
		b := AppendFact([]byte("before"), want)[6:]
		if len(b)%8 != 0 {
			t.Errorf("%d bytes", len(b))
		}
		got, n, err := DecodeFact(append(b, "behind"...))
		if err != nil || got != want || n != len(b) {
			t.Errorf("%d bytes of text: %+v, %d, %v", len(text), got, n, err)
		}
		for end := range len(b) {
			if _, _, err := DecodeFact(b[:end]); !errors.Is(err, ErrShortFact) {
				t.Fatalf("%d of %d bytes: %v", end, len(b), err)
			}
		}
	}
	long := AppendFact(nil, Fact{Text: strings.Repeat("x", MaxFactText+1)})
	if f, _, err := DecodeFact(long); err != nil || len(f.Text) != MaxFactText {
		t.Errorf("a long text: %d bytes, %v", len(f.Text), err)
	}
	wrong := AppendFact(nil, Fact{Text: "abc"})
	binary.LittleEndian.PutUint32(wrong, 40)
	if _, _, err := DecodeFact(wrong); err == nil || !strings.Contains(err.Error(), "does not fit") {
		t.Errorf("sizes that do not agree: %v", err)
	}
}

// Published values of the FNV reference, section "FNV test vectors".
func TestHashString(t *testing.T) {
	for text, want := range map[string]StringID{"": 0xcbf29ce484222325, "a": 0xaf63dc4c8601ec8c,
		"foobar": 0x85944171f73967e8} {
		if got := HashString(text); got != want {
			t.Errorf("%q: %#x", text, got)
		}
	}
}

func FuzzDecodeHello(f *testing.F) {
	f.Add(AppendHello(nil, hello))
	f.Add([]byte("version=2\x00pid=1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := DecodeHello(b)
		if err != nil {
			return
		}
		if again, err := DecodeHello(AppendHello(nil, h)); err != nil || !reflect.DeepEqual(again, h) {
			t.Fatalf("%+v reads as %+v, %v", h, again, err)
		}
	})
}

func FuzzDecodeFacts(f *testing.F) {
	f.Add(AppendFact(AppendFact(nil, Fact{Kind: FactString, Key: 1, Text: "axpy"}), Fact{Kind: FactWarning, Text: "x"}))
	f.Add(bytes.Repeat([]byte{0xff}, 64))
	f.Fuzz(func(t *testing.T, b []byte) {
		facts, err := DecodeFacts(b)
		var again []byte
		for _, fact := range facts {
			again = AppendFact(again, fact)
		}
		if err == nil && len(again) != len(b) {
			t.Fatalf("%d bytes become %d", len(b), len(again))
		}
	})
}

func FuzzReadFrameHeader(f *testing.F) {
	f.Add(AppendFrameHeader(nil, FrameHeader{Kind: FrameClock, Length: 32}))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := ReadFrameHeader(bytes.NewReader(b))
		if err != nil {
			return
		}
		if again, err := ReadFrameHeader(bytes.NewReader(AppendFrameHeader(nil, h))); err != nil || again != h {
			t.Fatalf("%+v reads as %+v, %v", h, again, err)
		}
	})
}
