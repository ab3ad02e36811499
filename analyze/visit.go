package analyze

import "mtrace/collector/wire"

// Text returns the text of a string number (wire.StringID) in the call's record; empty if the trace does not have it.
func (v *VisitedCall) Text(id uint64) string { return v.process.text(id) }

// visit passes a call to Options.Visit.
func (l *callLoader) visit(rule *rule, call Call, r *wire.Record, m *wire.More, unfinished bool) {
	if l.at.loader.slice != nil && !l.at.loader.slice.core.contains(call.End) {
		return
	}
	// set field by field, because a composite literal would be built in a temporary value and then copied, for every
	// call
	v := &l.visited
	v.Begin, v.End, v.Thread, v.Stack = call.Begin, call.End, call.Thread, call.Stack
	v.ID, v.Row, v.Class, v.Record, v.More, v.Unfinished, v.process = r.Call, rule.row,
		l.at.process.classes[r.Flags.Class()], r, m, unfinished, l.at.process
	l.at.loader.onCall(v)
}

var groupNames = [...]string{wire.GroupNone: "tracer", wire.GroupAcquire: "acquire", wire.GroupEncode: "encode",
	wire.GroupCommit: "commit", wire.GroupWait: "wait",
	wire.GroupDrawable: "drawable", wire.GroupCompile: "compile", wire.GroupAllocate: "allocate",
	wire.GroupLock:  "lock",
	wire.GroupOther: "other", wire.GroupSignal: "signal"}

// Group returns the name of the call's group, such as "encode" or "commit".
func (v *VisitedCall) Group() string { return GroupName(v.Row.Group) }

// GroupName returns the name of a group of calls, such as "encode" or "commit".
func GroupName(g wire.Group) string {
	if int(g) < len(groupNames) {
		return groupNames[g]
	}
	return "other"
}

// Part returns the part of the thread's time that the call's time counts in; PartCount for a wait for the GPU, whose
// time the model divides among several parts.
func (v *VisitedCall) Part() Part { return ruleOf(v.ID).part }

// Absorbs reports whether the time of calls nested in this call counts as this call's.
func (v *VisitedCall) Absorbs() bool { return ruleOf(v.ID).absorbs }

// Yields reports whether the call's time counts for the call around it, if there is one.
func (v *VisitedCall) Yields() bool { return ruleOf(v.ID).yields }
