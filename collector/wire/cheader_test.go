package wire

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write generated files and goldens instead of comparing with them")

// The shim and the collector must agree to the byte: the header the shim includes is the one these tables make.
func TestCHeaderIsCurrent(t *testing.T) {
	const path = "../../interpose/wire.h"
	if *update {
		if err := os.WriteFile(path, []byte(CHeader()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != CHeader() {
		t.Errorf("%s is not what the tables make; run go test ./collector/wire -update", path)
	}
}
