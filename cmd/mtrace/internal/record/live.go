package record

import (
	"mtrace/cmd/mtrace/internal/live"

	"mtrace/cmd/mtrace/internal/cli"
)

// A liveView shows the recording while it runs: --live. Without that flag it is empty and does nothing.
type liveView struct {
	watcher *live.Watcher
	table   *live.Table
	lines   *live.Lines
	std     cli.Stdio // streams for the program and other output during the run
}

// newLiveView creates the view for --live: a table if standard error is a terminal, otherwise lines.
func newLiveView(std cli.Stdio, asked bool) *liveView {
	v := &liveView{std: std}
	if !asked {
		return v
	}
	v.watcher = live.NewWatcher()
	if live.CanTable(std.Err) {
		if table, err := live.NewTable(v.watcher); err == nil {
			v.table = table
			v.std.Err = table.Held.Program
			if live.SameTerminal(std.Out, std.Err) {
				v.std.Out = table.Held.Program
			}
		}
	}
	return v
}

// show begins, once the program runs.
func (v *liveView) show() {
	switch {
	case v.table != nil:
		v.table.Show()
	case v.watcher != nil:
		v.lines = live.NewLines(v.std.Err, v.watcher)
	}
}

// aside releases the terminal to a shell before mtrace stops. The returned function reacquires it.
func (v *liveView) aside() (back func()) {
	if v.table == nil {
		return func() {}
	}
	v.table.Suspend()
	return v.table.Resume
}

// close releases the terminal. It may be called again.
func (v *liveView) close() {
	if v.table != nil {
		v.table.Close()
	}
	if v.lines != nil {
		v.lines.Close()
	}
}
