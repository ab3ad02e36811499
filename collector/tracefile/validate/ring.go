package validate

import (
	"fmt"

	"mtrace/collector/wire"
)

// A ring checks the records of one ring in their order.
type ring struct {
	*checker
	count    uint64 // records that the ring is reported to have
	position uint64
	call     wire.Record // the last that is not a More record
	hasMore  bool        // the next must be a More record
	open     []interval  // calls of the thread that a later one may lie around, in order
	end      wire.Ticks  // of the last call
}

type interval struct{ begin, end wire.Ticks }

func (r *ring) say(format string, args ...any) {
	r.checker.say("record %d: %s", r.position, fmt.Sprintf(format, args...))
}

func (r *ring) check(records []wire.Record) error {
	for _, record := range records {
		if record.Call == wire.CallMore {
			if !r.hasMore {
				r.say("a More record that belongs to no call")
			}
			if m := record.More(); r.hasMore {
				r.checkMore(r.call, &m)
				if r.call.Call == wire.CallCompleted {
					r.checkGPU(m)
				}
			}
			r.hasMore = false
		} else {
			if r.hasMore {
				r.say("the More record of %v is missing before it", r.call.Call)
			}
			r.hasMore = record.Flags&wire.HasMore != 0
			r.call = record
			r.checkCall(record)
			if !r.hasMore {
				r.checkMore(record, nil)
			}
		}
		r.position++
	}
	return nil
}

func (r *ring) finish() {
	if r.hasMore {
		r.say("the More record of %v is missing at the end", r.call.Call)
	}
	if r.position != r.count {
		r.checker.say("%d records where %d are said to be", r.position, r.count)
	}
}

func (r *ring) checkCall(c wire.Record) {
	if c.Call == wire.CallThreadStart {
		// A thread may become known at the end of its first wait for a lock, which ended before.
		r.open, r.end = r.open[:0], 0
		return
	}
	if r.position == 0 {
		r.say("%v comes before any thread has started", c.Call)
	}
	switch {
	case c.Call == wire.CallNone || int(c.Call) >= len(wire.Table):
		r.say("call %d is not in the table", c.Call)
		return
	case c.Begin > c.End:
		r.say("%v ends %d ticks before it begins", c.Call, c.Begin-c.End)
		return
	case c.End < r.end:
		r.say("%v ends %d ticks before the call recorded before it", c.Call, r.end-c.End)
	}
	r.end = c.End
	r.checkNesting(c)
	if class := c.Flags.Class(); class != 0 {
		if _, known := r.current.Classes[class]; !known {
			r.say("%v is of class %d, which nothing is said of", c.Call, class)
		}
	}
	if c.Call == wire.CallStack {
		if _, known := r.current.Stacks[wire.StackID(c.Arg)]; !known && !r.factsLost {
			r.say("the stack %#x is not there", c.Arg)
		}
	}
	row := c.Call.Row()
	r.checkObject(c, c.Object, row.Object)
	r.checkObject(c, wire.ObjectID(c.Arg), row.Arg)
}

// checkNesting: a call recorded later lies behind those before it on its thread, or around them; never across.
func (r *ring) checkNesting(c wire.Record) {
	n := len(r.open)
	for n > 0 && r.open[n-1].begin >= c.Begin {
		n--
	}
	if n > 0 && r.open[n-1].end > c.Begin {
		r.say("%v begins inside a call that ended before it", c.Call)
	}
	// Once a call lies behind another, none that matters can lie around only the later; a few are enough.
	if n >= 64 {
		n = copy(r.open, r.open[n-32:n])
	}
	r.open = append(r.open[:n], interval{c.Begin, c.End})
}

// makeable are the kinds of objects that some row makes.
var makeable = func() map[wire.Kind]bool {
	m := map[wire.Kind]bool{}
	for _, row := range wire.Table {
		if row.Arg.Role == wire.RoleMade {
			m[row.Arg.Kind.Base()] = true
		}
	}
	return m
}()

func (r *ring) checkObject(c wire.Record, id wire.ObjectID, field wire.Field) {
	kind := field.Kind
	if id == 0 || field.Role != wire.RoleObject || !makeable[kind] || r.lossy {
		return
	}
	made, known := r.objects[id]
	switch {
	case !known:
		r.say("%v uses the %s %d, which nothing has made", c.Call, kind, id)
	case !made.kind.Fits(kind):
		r.say("%v uses the %s %d as a %s", c.Call, made.kind, id, kind)
	case made.end > c.End:
		r.say("%v uses the %s %d before it is made", c.Call, kind, id)
	}
}

// checkGPU checks the times of a command buffer that completed.
func (r *ring) checkGPU(m wire.More) {
	start, end := int64(m.X0), int64(m.X1)
	if start == 0 && end == 0 { // it failed before it ran
		return
	}
	if start > end {
		r.say("command buffer %d ran on the GPU from %d to %d ns", r.call.Object, start, end)
	}
	if handled := r.current.Nanos(r.call.Begin); end > handled+clockTolerance {
		r.say("the GPU finished command buffer %d %d ns after its completion was handled", r.call.Object, end-handled)
	}
	if commit, known := r.commits[r.call.Object]; known && r.call.Object != 0 {
		if committed := r.current.Nanos(commit); start < committed-clockTolerance {
			r.say("the GPU began command buffer %d %d ns before it was committed", r.call.Object, committed-start)
		}
	}
}
