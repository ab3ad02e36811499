package extract

import (
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/replay/program"
)

// A program releases its lock before it creates a command buffer, but the next thread often wakes up late. The release
// still comes before the creation in every iteration.
func TestReleaseWithLateWakeUps(t *testing.T) {
	threads := [2]*analyze.Thread{{ID: 1}, {ID: 2}}
	const held, usualWake, lateWake, period = 200_000, 20_000, 90_000, 1_000_000
	for _, late := range []int{0, 3, 8} { // wake-ups of ten
		ev := &evidence.Evidence{Trace: &analyze.Trace{}}
		ev.Processors.Wake = usualWake
		by := map[*analyze.Thread][]call{}
		acquired := analyze.Nanos(0)
		for i := range 100 {
			t := threads[i%2]
			wait := &analyze.LockWait{Call: analyze.Call{Thread: t}, Lock: 7, Holder: threads[1-i%2]}
			by[t] = append(by[t],
				call{Interval: analyze.Interval{Begin: acquired - 100_000, End: acquired},
					Step: program.Step{Kind: program.Lock}, lock: wait},
				call{Interval: analyze.Interval{Begin: acquired + held + 30_000, End: acquired + held + 31_000},
					Step: program.Step{Kind: program.Acquire}},
				call{Interval: analyze.Interval{Begin: acquired + held + 35_000, End: acquired + held + 36_000},
					Step: program.Step{Kind: program.Commit}})
			if i%10 < late {
				acquired += held + lateWake
			} else {
				acquired += held + usualWake
			}
		}
		addLocks(ev, &program.Program{Tied: true}, by)
		created, released := 0, 0
		for _, list := range by {
			holds := false
			for _, c := range list {
				switch c.Kind {
				case program.Lock:
					holds = c.Unlocks
				case program.Unlock:
					holds = false
					released++
				case program.Acquire:
					if holds {
						created++
					}
				}
			}
		}
		if created > len(threads) || released < 90 { // not known for a thread's last holding
			t.Errorf("%d of 10 wake-ups are late: %d releases, %d command buffers created while the lock is held",
				late,
				released, created)
		}
	}
}
