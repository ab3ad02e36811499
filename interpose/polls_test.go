package main

import (
	"fmt"
	"os/exec"
	"testing"

	"mtrace/collector/wire"
)

// A thread that polls waits: one record states that, with the number of calls. Polls between which the thread makes
// other calls or computes are no wait, and neither is a single poll.
func TestPolls(t *testing.T) {
	_, client := softMetal(t)
	for _, layer := range []string{"0", "1"} { // of objects that wrap others each question is two calls
		t.Run("MTL_DEBUG_LAYER="+layer, func(t *testing.T) {
			// A program that other programs interrupt seems to compute between its polls, so such a run is repeated.
			for attempt := 1; ; attempt++ {
				recorded, said := recordPolls(t, client, layer)
				if recorded == said {
					return
				}
				if attempt == 5 {
					t.Fatalf("recorded\n%sthe program says\n%s", recorded, said)
				}
			}
		})
	}
}

// recordPolls returns the recorded loops of polls as lines with the selector and the number of polls, and the lines
// that the program prints about its loops.
func recordPolls(t *testing.T, client, layer string) (recorded, said string) {
	t.Helper()
	cmd := exec.Command(client, "polls")
	cmd.Env = []string{"MTL_DEBUG_LAYER=" + layer}
	r, _ := traceSoft(t, cmd)
	if !r.state.Success() {
		t.Fatalf("ended with %v\n%s%s", r.state, r.stdout, r.stderr)
	}
	end := wire.Ticks(0)
	for _, e := range r.traced(t).events(t) {
		row := e.Call.Row()
		if !row.Polls() {
			continue
		}
		recorded += fmt.Sprintf("%s %d\n", row.Selector, e.more.X0)
		if e.Begin < end || e.End <= e.Begin || e.more.X1 == 0 || e.Object == 0 {
			t.Errorf("%v: from %d to %d, after %d, the last question %d after the one before", row.Selector, e.Begin, e.End,
				end, e.more.X1)
		}
		end = e.End
	}
	return recorded, r.stdout
}
