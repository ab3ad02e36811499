package record

import (
	"fmt"
	"math"
	"strings"

	"mtrace/analyze"
	"mtrace/collector/wire"
)

// writeMore writes the further values of a call, which a second record (More) carries. Zero values are left out.
func (q *loggedProcess) writeMore(b *strings.Builder, row wire.Row, r wire.Record, m wire.More) {
	switch {
	case m == (wire.More{}):
	case row.Has(wire.RoleGPUBegin):
		if m.X1 > m.X0 {
			fmt.Fprintf(b, " on the GPU for %s", analyze.Nanos(m.X1-m.X0))
		}
	case row.Has(wire.RoleGrid):
		writeGrid(b, row, r, m)
	default:
		members := uint64(0)
		for _, f := range row.More {
			if f.Role == wire.RoleMember {
				if members++; members > r.Arg { // the record has only the first few
					break
				}
			}
			if v := f.At.Of(&r, &m); v != 0 {
				q.writeValue(b, f, v)
			}
		}
	}
}

// writeGrid writes the grid and threadgroup size of a dispatch. For an indirect dispatch only the GPU knows the grid.
func writeGrid(b *strings.Builder, row wire.Row, r wire.Record, m wire.More) {
	var grid, group []string
	unit, known := "", false
	for _, f := range row.More {
		switch v := f.At.Of(&r, &m); f.Role {
		case wire.RoleGrid:
			grid, known = append(grid, fmt.Sprint(v)), known || v != 0
			if f.Unit == wire.UnitThreadgroups {
				unit = " groups"
			}
		case wire.RoleGroup:
			group = append(group, fmt.Sprint(v))
		}
	}
	if !known {
		fmt.Fprintf(b, " (grid known to the GPU, groups of %s)", strings.Join(group, "×"))
		return
	}
	fmt.Fprintf(b, " (%s%s, groups of %s)", strings.Join(grid, "×"), unit, strings.Join(group, "×"))
}

// writeValue writes one value, formatted by its meaning (role).
func (q *loggedProcess) writeValue(b *strings.Builder, f wire.Field, v uint64) {
	switch f.Role {
	case wire.RoleName, wire.RoleSource, wire.RoleLabel, wire.RoleText:
		if text, known := q.texts[wire.StringID(v)]; known {
			fmt.Fprintf(b, " %s%q", map[wire.Role]string{wire.RoleSource: "source ", wire.RoleLabel: "label "}[f.Role], text)
		}
	case wire.RoleSize:
		fmt.Fprintf(b, " %d %s", v, f.Words())
	case wire.RoleOptions:
		fmt.Fprintf(b, " %s", analyze.StorageMode(v))
	case wire.RoleDispatchType:
		if v == 1 {
			b.WriteString(" concurrent")
		}
	case wire.RoleSampling:
		if s := wire.Sampling(min(v, 0xff)); s != wire.SamplingMeasured {
			fmt.Fprintf(b, " (its time is estimated: %s)", s)
		}
	case wire.RoleObject, wire.RoleMember:
		fmt.Fprintf(b, " %s#%d", f.Kind, v)
	case wire.RoleFrom, wire.RoleTo:
		fmt.Fprintf(b, " %s#%d", f.Words(), v)
	case wire.RoleAddress:
		fmt.Fprintf(b, " at 0x%x", v)
	case wire.RoleTimeout:
		fmt.Fprintf(b, " for %d %s at most", v, f.Unit)
	case wire.RoleProcess, wire.RoleInode:
		if v != 0 {
			fmt.Fprintf(b, " %s %d", map[wire.Role]string{wire.RoleProcess: "process", wire.RoleInode: "pipe"}[f.Role], v)
		}
	case wire.RoleFile:
		if v != math.MaxUint64 {
			fmt.Fprintf(b, " descriptor %d", v)
		}
	case wire.RolePolls:
		fmt.Fprintf(b, " asked %d times", v)
	case wire.RoleGave, wire.RoleAgo, wire.RolePollGap: // of use to the analysis only
	default:
		fmt.Fprintf(b, " %s %d", f.Words(), v)
	}
}
