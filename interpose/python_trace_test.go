package main

import (
	"os/exec"
	"testing"

	"mtrace/collector/wire"
)

// Every wait of a Python program for the GPU records whether it was entered holding the GIL; so does every wait for a
// lock. A program without an interpreter records nothing.
func TestWaitsSayWhetherTheInterpreterIsHeld(t *testing.T) {
	install, _ := softMetal(t)
	waits := func(arguments ...string) (held, free, silent int) {
		cmd := exec.Command(install.Launcher(), append(arguments, "--milliseconds", "60")...)
		cmd.Env = []string{"SOFTMETAL_TIMED=1"}
		r := trace(t, cmd)
		if !r.state.Success() || r.stderr != "" {
			t.Fatalf("%v ended with %v\n%s", arguments, r.state, r.stderr)
		}
		for _, e := range r.traced(t).events(t) {
			switch {
			case e.Call.String() != "waitUntilCompleted":
			case e.Flags&wire.HoldsInterpreter != 0:
				held++
			case e.Flags&wire.LacksInterpreter != 0:
				free++
			default:
				silent++
			}
		}
		return held, free, silent
	}
	for _, p := range pythons(t) {
		const program = "../fixtures/scenarios/programs/interpreter.py"
		if held, free, silent := waits(p.path, program); held == 0 || free+silent > 0 {
			t.Errorf("%v, holding the lock: %d waits say so, %d say the contrary, %d nothing", p, held, free, silent)
		}
		if held, free, silent := waits(p.path, program, "--without"); free == 0 || held+silent > 0 {
			t.Errorf("%v, giving the lock back: %d waits say so, %d say the contrary, %d nothing", p, free, held, silent)
		}
		if testing.Short() {
			break
		}
	}
	r := trace(t, client(t, "classes"))
	for _, e := range r.traced(t).events(t) {
		if e.Flags&(wire.HoldsInterpreter|wire.LacksInterpreter) != 0 {
			t.Fatalf("%v of a program without an interpreter speaks of its lock", e.Call)
		}
	}
}
