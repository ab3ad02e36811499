package validate

import (
	"math/bits"

	"mtrace/collector/wire"
)

// counts are the records of a process that are compared with what the process counted.
type counts struct {
	commits  uint64
	canary   map[wire.Call]int
	locks    map[wire.ObjectID]uint64 // address by number
	released map[wire.ObjectID]bool
}

// checkMore checks a record that is whole with its More record, which is nil when it has none.
func (r *ring) checkMore(c wire.Record, m *wire.More) {
	row := c.Call.Row()
	switch {
	case row.Effect == wire.EffectTimes && m != nil:
		r.checkSampling(c, m)
	case row.Effect == wire.EffectBlocks && m != nil:
		r.checkLock(c, m)
	case row.Effect == wire.EffectListens && m != nil:
		r.checkSignal(c, m)
	case row.Effect == wire.EffectSeesStack:
		if c.Object&^(wire.InterpreterHeld|wire.InterpreterKnown) != 0 || c.Object == wire.InterpreterHeld {
			r.say("a stack says %#x of the GIL", uint32(c.Object))
		}
	case row.Effect == wire.EffectChecks:
		r.counts.canary[wire.Call(c.Arg)]++
	case row.Effect.Commits() && row.Object.Kind == wire.KindCommandBuffer:
		r.counts.commits++
	case row.Effect == wire.EffectReleases && c.Object != 0:
		if r.counts.released[c.Object] && !r.lossy {
			r.say("the %s %d is released twice", row.Object.Kind, c.Object)
		}
		r.counts.released[c.Object] = true
	}
}

// checkSampling: an encoder has times when they were measured, and only then. That they lie within its command buffer's
// is not checked here: which one that is the model finds out.
func (r *ring) checkSampling(c wire.Record, m *wire.More) {
	measured := wire.Sampling(c.Arg) == wire.SamplingMeasured
	switch {
	case c.Arg > uint64(wire.SamplingWrong) || c.Arg == uint64(wire.SamplingOff):
		r.say("the times of encoder %d are %d, which they cannot be", c.Object, c.Arg)
	case measured && (m.X0 == 0 || m.X0 > m.X1):
		r.say("encoder %d was measured to run from %d to %d", c.Object, m.X0, m.X1)
	case !measured && (m.X0 != 0 || m.X1 != 0):
		r.say("encoder %d was not measured and has times", c.Object)
	}
}

// checkLock: a lock is somewhere, and a number is one lock's.
func (r *ring) checkLock(c wire.Record, m *wire.More) {
	if m.X1 == 0 {
		r.say("%v waits for a lock at no address", c.Call)
	}
	if c.Object == 0 || r.lossy {
		return
	}
	if before, known := r.counts.locks[c.Object]; known && before != m.X1 && c.Object >= wire.FirstLock {
		r.say("lock %d is at %#x and at %#x", c.Object.Number(), before, m.X1)
	}
	if made, known := r.objects[c.Object]; known {
		r.say("%v waits for lock %d, which is a %s", c.Call, c.Object, made.kind)
	}
	r.counts.locks[c.Object] = m.X1
}

// checkSignal: a wait that nobody ended has no signaller, and a signal that ended one was given within it.
func (r *ring) checkSignal(c wire.Record, m *wire.More) {
	switch failed := c.Flags&wire.Failed != 0; {
	case m.X1 == 0:
		r.say("%v waits for a signal at no address", c.Call)
	case c.Object&^(wire.SignalGivenBack|wire.SignalFetched) != 0:
		r.say("%v says %#x of its signal", c.Call, uint32(c.Object))
	case failed && c.Arg != 0:
		r.say("%v ended without a signal, and thread %d gave it", c.Call, c.Arg)
	case c.Arg != 0 && uint64(m.X3) > uint64(c.End-c.Begin):
		r.say("%v was signalled %d ticks before its end, and lasted %d", c.Call, m.X3, c.End-c.Begin)
	}
}

// totals checks what the process counted against what it counted of.
func (c *checker) totals() {
	end := c.current.End
	if end == nil {
		return
	}
	for name, a := range map[string]wire.Audit{"commits": end.Commits, "completions": end.Completions} {
		if a.Missed > a.Reached {
			c.say("%d of %d %s at Metal's choke points were missed", a.Missed, a.Reached, name)
		}
	}
	if passing := c.counts.commits + uint64(len(end.Current)) + end.Rejected; end.Commits.Seen() > passing && !c.lossy {
		c.say("%d commits were seen at Metal's choke points, and %d recorded", end.Commits.Seen(), c.counts.commits)
	}
	if end.NestedBy != nil {
		sum, carry := uint64(0), uint64(0)
		for _, n := range end.NestedBy {
			sum, carry = bits.Add64(sum, n, carry)
		}
		if sum != end.Nested {
			c.say("%d inner calls were counted, by family %d", end.Nested, sum)
		}
	}
	for call, seen := range c.counts.canary {
		if made := c.current.Canary[call]; seen > made {
			c.say("the self-check made %v %d times, and %d were seen", call, made, seen)
		}
	}
}
