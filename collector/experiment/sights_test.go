package experiment

import (
	"maps"
	"slices"
	"testing"

	"mtrace/collector/wire"
)

// TestThreadsByName: a target's thread is found by the name that it had at its first call, by one that was reported
// later, and by its number; and a message about a wrong name lists them. No thread was found by name: the name that
// comes with a thread's start was not read.
func TestThreadsByName(t *testing.T) {
	s := NewSights()
	start := func(ring uint16, thread uint64, name string) {
		s.Facts(0, []wire.Fact{{Kind: wire.FactString, Key: uint64(wire.HashString(name)), Text: name}})
		s.Records(0, ring, []wire.Record{{Call: wire.CallThreadStart, Arg: thread, Flags: wire.HasMore}})
		s.Records(0, ring, []wire.Record{{Begin: wire.Ticks(wire.HashString(name)), Call: wire.CallMore}})
	}
	start(0, 7, "worker-0")
	start(1, 8, "worker-1")
	start(2, 9, "program")
	s.finish(0)
	start(3, 10, "")
	s.Facts(0, []wire.Fact{{Kind: wire.FactThreadName, Key: 9, Text: "late"}})
	names := s.threads(0)
	if want := map[uint64]string{7: "worker-0", 8: "worker-1", 9: "late", 10: ""}; !maps.Equal(names, want) {
		t.Fatalf("threads are %v, want %v", names, want)
	}
	for text, want := range map[string][]uint64{"own@worker-0": {7}, "commit@worker": {7, 8}, "own:late": {9},
		"own@10": {10}, "own@nobody": nil} {
		target, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := target.threads(names); !slices.Equal(got, want) {
			t.Errorf("%s means the threads %v, want %v", text, got, want)
		}
	}
	if got := describe(names); got != "10, late, worker-0, worker-1" {
		t.Errorf("the threads are described as %q", got)
	}
}
