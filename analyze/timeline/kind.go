package timeline

import (
	"mtrace/analyze"
	"mtrace/collector/wire"
)

// A kind is what the slices (named intervals on a track) of all calls of one selector have in common.
type kind struct {
	call           wire.Call // CallNone if it is not known
	name, category string
	hasObject      bool
	hasArg         bool
	text           bool   // the argument is the number of a text
	object         string // label of the object
	arg            string // label of the argument
	words          string // label of the text
	signals        bool   // the wait may be ended by a signal
	commits, waits bool   // the call commits command buffers, or waits for them
}

// kinds has one element for each row of wire.Table. The last element is for calls that this version does not know,
// because a newer tracer recorded them.
var kinds = func() []kind {
	list := make([]kind, len(wire.Table)+1)
	for i := range list {
		row := wire.Call(i).Row()
		k := kind{name: row.Selector, category: analyze.GroupName(row.Group), signals: row.Group == wire.GroupSignal,
			hasObject: row.Object.Role != wire.RoleNone, hasArg: row.Arg.Role != wire.RoleNone,
			text:   row.Arg.Role.IsText(),
			object: row.Object.Meaning(), arg: row.Arg.Meaning(), words: row.Arg.Words()}
		if i < len(wire.Table) {
			k.call = row.Call
		}
		if row.Object.Kind == wire.KindCommandBuffer {
			k.commits, k.waits = row.Effect.Commits(), row.Group == wire.GroupWait
		}
		list[i] = k
	}
	return list
}()

func kindOf(c wire.Call) *kind { return &kinds[min(int(c), len(kinds)-1)] }
