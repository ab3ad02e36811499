package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mtrace/cmd/mtrace/internal/cli"
)

// damaged returns a trace with a few bytes changed, or cut, or both; how describes the damage.
func damaged(random *rand.Rand, whole []byte) (trace []byte, how string) {
	trace = bytes.Clone(whole)
	if random.IntN(3) == 0 {
		trace = trace[:random.IntN(len(trace))]
		how = fmt.Sprintf("cut at %d of %d bytes", len(trace), len(whole))
	}
	if len(trace) == 0 || how != "" && random.IntN(2) == 0 {
		return trace, how
	}
	near := random.IntN(len(trace)) // damage comes in clusters: a sector, a page
	for range 1 + random.IntN(6) {
		at := near
		if random.IntN(2) == 0 {
			at = random.IntN(len(trace))
		}
		change := byte(1 + random.IntN(255))
		trace[at] ^= change
		how += fmt.Sprintf(" byte %d^%#x", at, change)
		near = min(near+1, len(trace)-1)
	}
	if bytes.Equal(trace, whole) { // the changes undid each other
		trace[near] ^= 0x40
	}
	return trace, how
}

// TestDamage: no command that reads traces panics at a damaged one, hangs, or presents the readable part as the whole.
// Once `mtrace diff` compared the rest of a cut trace and exited with the status for no change.
func TestDamage(t *testing.T) {
	paths, attacks := tracesToAttack(t, 40)
	random := rand.New(rand.NewPCG(12, 12))
	dir := t.TempDir()
	bad, out := filepath.Join(dir, "damaged.mtrace"), filepath.Join(dir, "out")
	partial := 0
	for i := range attacks {
		path := paths[random.IntN(len(paths))]
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		trace, how := damaged(random, whole)
		if err := os.WriteFile(bad, trace, 0o644); err != nil {
			t.Fatal(err)
		}
		commands := [][]string{
			{"report", bad}, {"report", "--json", bad}, {"pprof", bad, "-o", out}, {"diff", path, bad}, {"diff", bad, path},
			{"export", bad, "--format", "perfetto", "-o", out}, {"export", bad, "--format", "chrome", "-o", out},
			{"export", bad, "--format", "jsonl", "-o", out},
			{"export", bad, "--format", "csv", "-o", out}, {"export", bad, "--format", "parquet", "-o", out},
		}
		args := commands[i%len(commands)]
		began := time.Now()
		exit, stdout, stderr := inProcess(t, args...)
		if exit != cli.ExitUsage || len(bytes.TrimSpace(stderr)) == 0 {
			t.Errorf("%s, %s: %q: exit status %d, %q", path, how, args, exit, stderr)
		}
		if took := time.Since(began); took > time.Minute {
			t.Errorf("%s, %s: %q took %v", path, how, args, took)
		}
		if len(stdout) > 0 {
			partial++
		}
		os.RemoveAll(out)
	}
	t.Logf("of %d damaged traces %d could be read in part", attacks, partial)
}
