package wire

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write generated files and goldens instead of comparing with them")

// The shim and the collector must agree to the byte: the shim includes a header that is generated from these tables.
// The documentation is generated from them too.
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
