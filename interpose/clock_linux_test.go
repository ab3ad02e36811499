package main

import (
	"maps"
	"testing"

	"golang.org/x/sys/unix"

	"mtrace/collector/wire"
)

// By the system's clock, which is read by the kernel's own function and by another way through the shim than the
// processor's counter, the same calls are recorded, at the times at which they were made.
func TestClockOfTheSystem(t *testing.T) {
	calls := map[string]map[wire.Call]int{}
	for _, clock := range []string{"", "nanoseconds"} {
		cmd := client(t, "classes", "20")
		cmd.Env = []string{"MTRACE_CLOCK=" + clock}
		before := monotonic(t)
		p := trace(t, cmd).traced(t)
		after := monotonic(t)
		calls[clock] = map[wire.Call]int{}
		for _, e := range p.events(t) {
			calls[clock][e.Call]++
			if clock != "" && (e.Begin < before || e.End < e.Begin || after < e.End) {
				t.Errorf("%s from %d to %d, in a run from %d to %d", e.Call, e.Begin, e.End, before, after)
			}
			if e.Call != wire.CallCompleted {
				continue
			}
			// "clock suspect" was reported for every recording of this program: its GPU times were constants
			if begin, end := wire.Ticks(e.more.X0), wire.Ticks(e.more.X1); begin < before || end < begin || after < end {
				t.Errorf("on the GPU from %d to %d, in a run from %d to %d", begin, end, before, after)
			}
		}
	}
	if len(calls[""]) < 5 || !maps.Equal(calls[""], calls["nanoseconds"]) {
		t.Errorf("by the counter %v, by the system's clock %v", calls[""], calls["nanoseconds"])
	}
}

func monotonic(t *testing.T) wire.Ticks {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		t.Fatal(err)
	}
	return wire.Ticks(now.Nano())
}
