package evidence

import "mtrace/analyze"

// Activities of a thread while the GPU was idle before its commit. Scheduling and BetweenEncoders are not the
// thread's responsibility: its work was committed already, and the GPU or the driver delayed it.
const (
	Scheduling      = "scheduling"       // the thread had committed the command buffer; the GPU had not begun it
	doingEncode     = "encoding"         // between the creation of the command buffer and the end of its commit
	doingOutside    = "outside of Metal" // before the thread created the command buffer
	BetweenEncoders = "between the encoders of a command buffer"
)

// doingBlocked describes what a thread does in a call that blocks, by kind of blocking.
var doingBlocked = [blockings]string{onOthers: "waiting for others", onGPU: "waiting for its own",
	onLock: "waiting for a lock", onSignal: "waiting for a signal",
	onCompile: "compiling", onQueue: "waiting for a free command buffer",
	onDrawable: "waiting for a drawable", onAllocate: "allocating memory", onResidency: "making memory resident"}

// idleWork holds the calls and waits of the threads, from which it finds what a thread did while the GPU was idle.
type idleWork struct {
	hasWaits bool // the trace's source records waits
	blocked  Blocked
}

// addIdle adds the device's idle gaps to g, each attributed to the thread whose commit ended the gap and to what that
// thread did in most of the gap.
func (g *GPU) addIdle(d *Device, use DeviceUse, did idleWork) {
	var by Ordered[idleKey, IdleCause]
	i := 0
	for _, gap := range d.all.Gaps(analyze.Interval{Begin: use.Active.Begin, End: use.Active.End}) {
		for i < len(d.rows) && d.rows[i].Begin < gap.End { // gaps are visited in the order of rows
			i++
		}
		if i == len(d.rows) || gap.Length() == 0 {
			continue
		}
		b := d.rows[i].buffer
		long := Gap{gap, b.Committed.Thread, did.before(b, gap)}
		g.keep(long)
		g.Idle += gap.Length()
		c := by.Of(idleKey{long.Thread, long.Doing})
		if c.Gaps++; c.From == nil {
			c.Thread, c.Doing, c.From = long.Thread, long.Doing, map[*analyze.Stack]analyze.Nanos{}
		}
		if c.Time += gap.Length(); b.Committed.Stack != nil {
			c.From[b.Committed.Stack] += gap.Length()
		}
	}
	for _, c := range by.All {
		g.IdleBy = append(g.IdleBy, *c)
	}
}

// before returns what the thread that committed b did in the longest part of the GPU's idle gap before `b`.
func (did idleWork) before(b *analyze.CommandBuffer, gap analyze.Interval) string {
	switch {
	case b.GPU.Known() && b.GPU.Begin < gap.Begin:
		return BetweenEncoders // the GPU had begun it, so no thread could have filled the gap
	case !b.Committed.Known():
		return did.outside()
	}
	before := gap.Intersect(analyze.Interval{Begin: gap.Begin, End: b.Committed.End})
	scheduling := gap.Length() - before.Length()
	best, most, rest := Scheduling, scheduling, before.Length()
	for kind, spans := range did.blocked[b.Committed.Thread] {
		n := spans.LengthWithin(before)
		if rest -= n; n > most {
			best, most = doingBlocked[kind], n
		}
	}
	encode := analyze.Nanos(0)
	if b.Created.Known() && b.Created.Thread == b.Committed.Thread {
		encode = max(0, min(rest, overlap(before, analyze.Interval{Begin: b.Created.Begin, End: b.Committed.End})))
	}
	if encode > most {
		best, most = doingEncode, encode
	}
	if rest-encode > most {
		best = did.outside()
	}
	return best
}

// doingUnknown replaces doingOutside for a trace that records no waits: there, the thread may have worked or waited.
const doingUnknown = "doing something not recorded"

// outside returns the name of a thread's activity at times for which no call of the thread was recorded.
func (did idleWork) outside() string {
	if !did.hasWaits {
		return doingUnknown
	}
	return doingOutside
}

type idleKey struct {
	thread *analyze.Thread
	doing  string
}
