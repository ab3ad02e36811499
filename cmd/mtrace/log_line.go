package main

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
	if row.Object != "" && !strings.Contains(row.Object, " when ") {
		object, _, several := strings.Cut(row.Object, ",")
		if several {
			object = "object"
		}
		fmt.Fprintf(&b, " %s#%d", object, r.Object.Number())
	}
	line.process.writeArgument(&b, row, r)
	line.process.writeMore(&b, row, r, line.more)
	if r.Flags&wire.Failed != 0 {
		b.WriteString(" FAILED")
	}
	fmt.Fprintf(&b, " <%s>\n", analyze.Nanos(line.end-line.begin))
	io.WriteString(w, b.String())
}

// loggedTracer are the records of the tracer itself that are lines: what happened without a call.
var loggedTracer = map[string]bool{wire.CallCompleted.String(): true, wire.CallEncoderTimes.String(): true, "made": true, "mark": true, "scope": true}

// writeArgument writes what the row says the argument is.
func (q *loggedProcess) writeArgument(b *strings.Builder, row wire.Row, r wire.Record) {
	switch made, isNew := strings.CutPrefix(row.Arg, "new "); {
	case row.Arg == "":
	case isNew && r.Arg == 0:
		b.WriteString(" = nil")
	case isNew:
		made, _, _ = strings.Cut(made, ",")
		fmt.Fprintf(b, " = %s#%d", made, r.Arg)
	case strings.HasPrefix(row.Arg, "StringID"):
		if text, known := q.texts[wire.StringID(r.Arg)]; known {
			fmt.Fprintf(b, " %q", text)
		} else if r.Arg != 0 {
			b.WriteString(" (a text that is not in the trace)")
		}
	case r.Call == wire.CallEncoderTimes:
		fmt.Fprintf(b, " %s", wire.Sampling(min(r.Arg, 0xff)))
	case row.Arg == "threads" && r.Arg == 0: // known to the GPU only
	case row.Arg == "bytes":
		fmt.Fprintf(b, " %d bytes", r.Arg)
	case strings.HasPrefix(row.Arg, "thread id of the"):
		if r.Arg != 0 {
			how := "held"
			if strings.Contains(row.Arg, "signalled") {
				how = "signalled"
			}
			fmt.Fprintf(b, " %s by thread %d", how, r.Arg)
		}
	case r.Call == wire.CallCompleted:
		fmt.Fprintf(b, " status %d", r.Arg&0xff)
		if code := r.Arg >> 8; code != 0 {
			fmt.Fprintf(b, " error %d", code)
		}
	case objectKinds[row.Arg]:
		fmt.Fprintf(b, " %s#%d", row.Arg, r.Arg)
	default:
		fmt.Fprintf(b, " %s %d", row.Arg, r.Arg)
	}
}

// objectKinds are the kinds of objects that calls make: an argument of such a kind is an object's number.
var objectKinds = func() map[string]bool {
	kinds := map[string]bool{}
	for _, row := range wire.Table {
		if made, isNew := strings.CutPrefix(row.Arg, "new "); isNew {
			kinds[made] = true
		}
	}
	return kinds
}()
