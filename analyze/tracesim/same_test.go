package tracesim

import (
	"bytes"
	"os"
	"testing"
)

// A program simulated twice makes the same file, byte for byte: rings were written in the order of a map, so that
// readers that go through the file from the front met threads in another order each time.
func TestSameFile(t *testing.T) {
	for _, s := range Scenarios {
		var first []byte
		for range 4 {
			data, err := os.ReadFile(s.Build(1).Run(t))
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = data
			}
			if !bytes.Equal(data, first) {
				t.Errorf("%s: the file differs from one run to the next", s.Name)
				break
			}
		}
	}
}
