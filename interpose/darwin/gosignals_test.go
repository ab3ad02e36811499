package darwin

import (
	"bytes"
	"debug/macho"
	"testing"
)

// TestCrossSignalTables finds in the library what gosignals.c finds in itself on a Mac. A bug it would have found: the
// setting that keeps Go from sending itself SIGURG was searched only up to the end of __DATA_CONST. Variables are in
// the segment after it, so the setting was never found and changed.
func TestCrossSignalTables(t *testing.T) {
	each(t, "libmtrace.dylib", func(t *testing.T, image []byte, file *macho.File) {
		text, data := file.Segment("__TEXT"), file.Segment("__DATA")
		if text == nil || data == nil || data.Addr < text.Addr+text.Memsz {
			t.Fatalf("__DATA does not follow __TEXT: %+v, %+v", text, data)
		}
		words := image[data.Offset : data.Offset+data.Filesz]
		for _, name := range []string{"SIGCHLD: child status has changed", "SIGPROF: profiling alarm clock",
			"asyncpreemptoff"} {
			at := goString(image, file, words, name)
			if at < 0 {
				t.Errorf("%q is not among the data", name)
				continue
			}
			if name != "asyncpreemptoff" {
				continue
			}
			if value := le.Uint64(words[at+16:]); value < data.Addr || value >= data.Addr+data.Memsz {
				t.Errorf("the setting %q is at %#x, which is not in __DATA, %#x to %#x", name, value, data.Addr,
					data.Addr+data.Memsz)
			}
		}
	})
}

// goString returns the index in words, which are data before dyld rebased them, of a pointer to a text and its length;
// -1 if there is none.
func goString(image []byte, file *macho.File, words []byte, text string) int {
	for at := 0; at+24 <= len(words); at += 8 {
		if le.Uint64(words[at+8:]) != uint64(len(text)) {
			continue
		}
		for _, load := range file.Loads {
			s, ok := load.(*macho.Segment)
			where := le.Uint64(words[at:])
			if !ok || where < s.Addr || where+uint64(len(text)) > s.Addr+s.Filesz {
				continue
			}
			if bytes.HasPrefix(image[s.Offset+where-s.Addr:], []byte(text)) {
				return at
			}
		}
	}
	return -1
}
