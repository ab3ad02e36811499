package timeline

import (
	"mtrace/analyze"
	"mtrace/collector/wire"
)

// A kind is what is the same in the slices of all calls of a row of the table.
type kind struct {
	call           wire.Call // CallNone when it is not known
	name, category string
	object         string // what the object is called; empty when that is not said
	arg            string // what the argument is called
	text           bool   // it stands for a text
	signals        bool   // what ends it may be a signal
	commits, waits bool   // on command buffers
}

// kinds are made from wire.Table, one for each row and a last one for calls of newer libraries.
var kinds = func() []kind {
	list := make([]kind, len(wire.Table)+1)
	for i := range list {
		row := wire.Call(i).Row()
		k := kind{name: row.Selector, category: analyze.GroupName(row.Group), object: row.Object.Meaning(), arg: row.Arg.Meaning(), text: row.Arg.Role.IsText(),
			signals: row.Group == wire.GroupSignal}
		if i < len(wire.Table) {
			k.call = row.Call
		}
		if k.text {
			k.arg = row.Arg.Words()
		}
		if row.Object.Kind == wire.KindCommandBuffer {
			k.commits, k.waits = row.Effect.Commits(), row.Group == wire.GroupWait
		}
		list[i] = k
	}
	return list
}()

func kindOf(c wire.Call) *kind { return &kinds[min(int(c), len(kinds)-1)] }
