package main

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// The record of a serial encoder's end tells how many of its dispatches depend on each other, as far as the buffers
// that they bind tell. Bindings were not looked at before.
func TestBindings(t *testing.T) {
	_, client := softMetal(t)
	for _, layer := range []string{"0", "1"} { // of objects that wrap others each binding is two calls
		t.Run("MTL_DEBUG_LAYER="+layer, func(t *testing.T) {
			cmd := exec.Command(client, "dependences")
			cmd.Env = []string{"MTL_DEBUG_LAYER=" + layer}
			r, _ := traceSoft(t, cmd)
			if !r.state.Success() {
				t.Fatalf("ended with %v\n%s%s", r.state, r.stdout, r.stderr)
			}
			var got strings.Builder
			for _, e := range r.traced(t).events(t) {
				if e.Call.String() == "endEncoding" {
					fmt.Fprintf(&got, "%d %d\n", e.Arg>>32, uint32(e.Arg))
				}
			}
			if got.String() != r.stdout {
				t.Errorf("recorded\n%sthe program says\n%s", &got, r.stdout)
			}
		})
	}
}

// Command buffers that are not freed were not counted: they are what a loop without an autorelease pool leaves.
func TestKeptCommandBuffers(t *testing.T) {
	_, client := softMetal(t)
	for _, layer := range []string{"0", "1"} { // objects that wrap others are freed in two steps
		t.Run("MTL_DEBUG_LAYER="+layer, func(t *testing.T) {
			cmd := exec.Command(client, "kept")
			cmd.Env = []string{"MTL_DEBUG_LAYER=" + layer}
			r, _ := traceSoft(t, cmd)
			if alive := r.traced(t).region.CommandBuffers(); fmt.Sprintln(alive.Made, alive.Most) != r.stdout ||
				alive.Freed < 10 {
				t.Errorf("%+v, want %s%s", alive, r.stdout, r.stderr)
			}
		})
	}
}
