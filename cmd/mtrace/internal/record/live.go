package record

import (
	"mtrace/cmd/mtrace/internal/live"

	"mtrace/cmd/mtrace/internal/cli"
)

// A liveView shows what the program does while it runs, for --live: as a table or as lines. Without --live it does
// nothing.
type liveView struct {
	watcher *live.Watcher
	table   *live.Table
	lines   *live.Lines
	std     cli.Stdio // streams for the program and other output during the run
}

// newLiveView prepares the display of --live: a table that is redrawn in place if standard error is a terminal,
// otherwise lines. Without --live (asked is false) the returned view does nothing.
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

// show starts the display. Call it after the traced program was started.
func (v *liveView) show() {
	switch {
	case v.table != nil:
		v.table.Show()
	case v.watcher != nil:
		v.lines = live.NewLines(v.std.Err, v.watcher)
	}
}

// aside releases the terminal before mtrace stops for job control; back takes it over again.
func (v *liveView) aside() (back func()) {
	if v.table == nil {
		return func() {}
	}
	v.table.Suspend()
	return v.table.Resume
}

// close ends the display and releases the terminal. Further calls do nothing.
func (v *liveView) close() {
	if v.table != nil {
		v.table.Close()
	}
	if v.lines != nil {
		v.lines.Close()
	}
}
