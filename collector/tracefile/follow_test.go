package tracefile

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// TestFollow: following a growing trace, by any number of bytes at a time, reads the same as the final trace.
func TestFollow(t *testing.T) {
	for _, path := range []string{"../../fixtures/traces/device-sync.mtrace"} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(3) {
			random := rand.New(rand.NewPCG(seed, 3))
			var lines bytes.Buffer
			f := follow(path, bytes.NewReader(data), &lines)
			ended, size := false, 0
			for !ended {
				if size = min(len(data), size+random.IntN(len(data)/20)); seed == 0 {
					size = len(data)
				}
				if ended, err = f.Next(int64(size)); err != nil {
					t.Fatal(err)
				}
				if ended && size < len(data)-trailer {
					t.Fatalf("it ends at %d bytes of %d", size, len(data))
				}
			}
			again := filepath.Join(t.TempDir(), "again.mtrace")
			if err := ReadText(&lines, again); err != nil {
				t.Fatal(err)
			}
			if got, want := text(t, again), text(t, path); !bytes.Equal(got, want) {
				t.Errorf("the lines make another trace, of %d bytes of text and not %d", len(got), len(want))
			}
		}
	}
}

// A full disk made mtrace tail call the trace damaged.
func TestFollowIntoAFullDisk(t *testing.T) {
	data, err := os.ReadFile("../../fixtures/traces/device-sync.mtrace")
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space left")
	_, err = follow("t", bytes.NewReader(data), failing{full}).Next(int64(len(data)))
	if !errors.Is(err, full) || errors.Is(err, ErrDamaged) || err.Error() != full.Error() {
		t.Errorf("%v", err)
	}
}

// failing is a writer that always fails.
type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }

// FuzzFollow: whatever is in a file, following it ends, and without a panic.
func FuzzFollow(f *testing.F) {
	data, err := os.ReadFile("../../fixtures/traces/device-sync.mtrace")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[:2000], 100)
	f.Add(data[:6000], 6000)
	f.Add(data[:10], 0)
	f.Fuzz(func(_ *testing.T, data []byte, first int) {
		x := follow("fuzz", bytes.NewReader(data), io.Discard)
		for _, size := range []int{min(max(first, 0), len(data)), len(data)} {
			if ended, err := x.Next(int64(size)); ended || err != nil {
				return
			}
		}
	})
}
