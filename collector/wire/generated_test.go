package wire

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write generated files and goldens instead of comparing with them")

// The shim and the collector must agree to the byte: the header the shim includes is the one these tables make. The
// documentation is made from them too.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	for path, want := range map[string]string{"../../interpose/wire.h": CHeader(), "../../docs/wire.md": Document()} {
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s is not what the tables make; run go test ./collector/wire -update", path)
		}
	}
}
