package main

import (
	"os/exec"
	"testing"
)

// Threads walked through the whole of their rings (buffers of 2 MiB) although the collector had read nearly everything,
// and the first use of each page cost a program with 16 threads up to 25 µs. Now a thread reuses what was read last:
// three of 128 chunks if the reader is quick, all if it comes only when the ring is full, and then records are dropped.
func TestChunksAreReused(t *testing.T) {
	program := build(t, "chunks", "gcc", "-O1", "-g", "-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-o",
		"OUT", "testdata/chunks.c", "-lpthread")
	out, err := exec.Command(program).CombinedOutput()
	if want := "3 0 11 0 128 1 1\n"; err != nil || string(out) != want {
		t.Errorf("%q, not %q (%v)", out, want, err)
	}
}
