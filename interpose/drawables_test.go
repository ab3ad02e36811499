package main

import (
	"os/exec"
	"testing"

	"mtrace/collector/wire"
)

// A program that draws faster than the display waits in nextDrawable, and none of this was recorded: no method returns
// a layer, so its class is looked up by name. The drawables that command buffers present are the drawables that the
// layer returned.
func TestDrawables(t *testing.T) {
	_, client := softMetal(t)
	cmd := exec.Command(client, "frames")
	cmd.Env = []string{"SOFTMETAL_FRAME_US=20000"}
	r, file := traceSoft(t, cmd)
	if r.stdout != "frames at the display's pace 1, of it waiting 1\n" || !r.state.Success() {
		t.Fatalf("ended with %v\n%s%s", r.state, r.stdout, r.stderr)
	}
	p := r.traced(t)
	compareWithTruth(t, p, file)
	next, _ := wire.Lookup(wire.FamilyLayer, "nextDrawable")
	present, _ := wire.Lookup(wire.FamilyCommandBuffer, "presentDrawable:")
	made, presented := map[uint64]bool{}, 0
	stands := 0
	for _, e := range p.events(t) {
		switch e.Call {
		case next:
			made[e.Arg] = true
			if e.End > e.Begin {
				stands++
			}
		case present:
			if !made[e.Arg] {
				t.Errorf("drawable %d is presented, which no layer gave out", e.Arg)
			}
			presented++
		}
	}
	if len(made) != 12 || presented != 12 || stands != 12 {
		t.Errorf("%d drawables, %d of them presented, and %d waits; want 12 each", len(made), presented, stands)
	}
}
