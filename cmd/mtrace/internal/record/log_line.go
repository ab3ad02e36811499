package record

import (
	"fmt"
	"io"
	"strings"

	"mtrace/analyze"
	"mtrace/collector/wire"
)

func (line logLine) write(w io.Writer, origin int64) {
	r, row := line.record, line.record.Call.Row()
	var b strings.Builder
	fmt.Fprintf(&b, "%12.6f [%d] %s", float64(line.begin-origin)/1e9, line.thread, row.Selector)
	if row.Object.Role == wire.RoleObject {
		fmt.Fprintf(&b, " %s#%d", row.Object.Kind, r.Object.Number())
	}
	line.process.writeArgument(&b, row, r)
	line.process.writeMore(&b, row, r, line.more)
	if r.Flags&wire.Failed != 0 {
		b.WriteString(" FAILED")
	}
	fmt.Fprintf(&b, " <%s>\n", analyze.Nanos(line.end-line.begin))
	io.WriteString(w, b.String())
}

// logged reports whether records of this kind appear in the log: calls, completions, marks and scopes do; the
// tracer's own bookkeeping does not.
func logged(row wire.Row) bool {
	switch row.Effect {
	case wire.EffectCompletes, wire.EffectFails, wire.EffectTimes, wire.EffectHands, wire.EffectMarks, wire.EffectScopes,
		wire.EffectSpans:
		return true
	}
	return row.Group != wire.GroupNone
}

// writeArgument writes the call's argument as its table row describes it: a made object, a text, a size, a status.
func (q *loggedProcess) writeArgument(b *strings.Builder, row wire.Row, r wire.Record) {
	switch field := row.Arg; {
	case field.Role == wire.RoleDependence:
		if r.Arg != 0 {
			fmt.Fprintf(b, " %d dispatches, chains of %d", r.Arg>>32, uint32(r.Arg))
		}
	case field.Role == wire.RoleNone, field.Unit == wire.UnitThreads && r.Arg == 0: // known to the GPU only
	case field.Role == wire.RoleMade && r.Arg == 0:
		b.WriteString(" = nil")
	case field.Role == wire.RoleMade:
		fmt.Fprintf(b, " = %s#%d", field.Kind, r.Arg)
	case field.Role.IsText():
		if text, known := q.texts[wire.StringID(r.Arg)]; known {
			fmt.Fprintf(b, " %q", text)
		} else if r.Arg != 0 {
			b.WriteString(" (a text that is not in the trace)")
		}
	case field.Role == wire.RoleSampling:
		fmt.Fprintf(b, " %s", wire.Sampling(min(r.Arg, 0xff)))
	case field.Role == wire.RoleHolder, field.Role == wire.RoleSignaller:
		if r.Arg != 0 {
			fmt.Fprintf(b, " %s by thread %d", map[wire.Role]string{wire.RoleHolder: "held",
				wire.RoleSignaller: "signalled"}[field.Role], r.Arg)
		}
	case field.Role == wire.RoleStatus:
		fmt.Fprintf(b, " status %d", r.Arg&0xff)
		if code := r.Arg >> 8; code != 0 {
			fmt.Fprintf(b, " error %d", code)
		}
	case field.Role == wire.RoleSize:
		fmt.Fprintf(b, " %d %s", r.Arg, field.Words())
	case field.Role == wire.RoleObject:
		fmt.Fprintf(b, " %s#%d", field.Kind, r.Arg)
	case field.Role == wire.RoleProcess:
		q.writeValue(b, field, r.Arg)
	default:
		fmt.Fprintf(b, " %s %d", field.Words(), r.Arg)
	}
}
