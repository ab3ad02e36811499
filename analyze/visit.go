package analyze

import "mtrace/collector/wire"

// A VisitedCall is one call as the trace file has it, for outputs that need every call; the model keeps only sums of
// most. It and what it points to are valid during the visit.
type VisitedCall struct {
	Call
	ID         wire.Call
	Row        *wire.Row
	Class      string       // of the receiver; empty when not known
	Record     *wire.Record // of an unfinished call: no times, object and call only
	More       *wire.More
	Unfinished bool // the call had not returned when its process ended
	process    *processLoader
}

// Text is the text of a StringID in the record or its More; empty when the trace does not have it.
func (v *VisitedCall) Text(id uint64) string { return v.process.text(id) }

// visit shows a call to whoever asked for all of them.
func (l *callLoader) visit(rule *rule, call Call, r *wire.Record, m *wire.More, unfinished bool) {
	if l.at.loader.slice != nil && !l.at.loader.slice.core.holds(call.End) {
		return
	}
	// Field by field: one that is put together elsewhere would be copied before its parts have arrived there.
	v := &l.visited
	v.Begin, v.End, v.Thread, v.Stack = call.Begin, call.End, call.Thread, call.Stack
	v.ID, v.Row, v.Class, v.Record, v.More, v.Unfinished, v.process = r.Call, rule.row,
		l.at.process.classes[r.Flags.Class()], r, m, unfinished, l.at.process
	l.at.loader.onCall(v)
}

var groupNames = [...]string{wire.GroupNone: "tracer", wire.GroupAcquire: "acquire", wire.GroupEncode: "encode",
	wire.GroupCommit: "commit", wire.GroupWait: "wait",
	wire.GroupDrawable: "drawable", wire.GroupCompile: "compile", wire.GroupAllocate: "allocate", wire.GroupLock: "lock",
	wire.GroupOther: "other", wire.GroupSignal: "signal"}

// Group is the name of the call's group, as the parts of the partition are called.
func (v *VisitedCall) Group() string { return GroupName(v.Row.Group) }

// GroupName is VisitedCall.Group of the calls of a group.
func GroupName(g wire.Group) string {
	if int(g) < len(groupNames) {
		return groupNames[g]
	}
	return "other"
}

// Part is the part of its thread's time that the call is; PartCount for a wait for the GPU, whose parts the model
// tells.
func (v *VisitedCall) Part() Part { return ruleOf(v.ID).part }

// Absorbs says whether the call keeps the time of calls nested in it.
func (v *VisitedCall) Absorbs() bool { return ruleOf(v.ID).absorbs }

// Yields says whether the call gives its time to the call that it is nested in.
func (v *VisitedCall) Yields() bool { return ruleOf(v.ID).yields }
