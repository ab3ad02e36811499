package main

import (
	"fmt"
	"strings"

	"mtrace/analyze"
	"mtrace/collector/wire"
)

// writeMore writes what people want to see of the values in a More record, by what the row says they are. Zeros are left out.
func (q *loggedProcess) writeMore(b *strings.Builder, row wire.Row, r wire.Record, m wire.More) {
	switch {
	case m == (wire.More{}) || row.More == "":
	case r.Call == wire.CallCompleted || r.Call == wire.CallEncoderTimes:
		if m.X1 > m.X0 {
			fmt.Fprintf(b, " on the GPU for %s", analyze.Nanos(m.X1-m.X0))
		}
	case strings.HasPrefix(row.More, "x0 grid width"):
		writeGrid(b, row, m)
	case strings.HasPrefix(row.More, "x0 first command buffer"):
		writeCommandBuffers(b, r, m)
	default:
		values := map[string]uint64{"x0": m.X0, "x1": m.X1, "x2": m.X2, "x3": uint64(m.X3)}
		for _, part := range strings.Split(row.More, ", x") {
			name, meaning, _ := strings.Cut("x"+strings.TrimPrefix(part, "x"), " ")
			if v := values[name]; v != 0 && meaning != "nothing" && !strings.HasPrefix(meaning, "ticks") && !strings.HasPrefix(meaning, "address of what") {
				q.writeValue(b, meaning, v)
			}
		}
	}
}

func writeGrid(b *strings.Builder, row wire.Row, m wire.More) {
	low, high := func(x uint64) uint32 { return uint32(x) }, func(x uint64) uint32 { return uint32(x >> 32) }
	groups := fmt.Sprintf("groups of %d×%d×%d", high(m.X1), low(m.X2), high(m.X2))
	if m.X0 == 0 {
		fmt.Fprintf(b, " (grid known to the GPU, %s)", groups)
		return
	}
	unit := ""
	if strings.Contains(row.More, "in threadgroups") {
		unit = " groups"
	}
	fmt.Fprintf(b, " (%d×%d×%d%s, %s)", low(m.X0), high(m.X0), low(m.X1), unit, groups)
}

// writeCommandBuffers writes what Metal 4 commits: the record has the first six.
func writeCommandBuffers(b *strings.Builder, r wire.Record, m wire.More) {
	for i, id := range []uint64{m.X0, m.X0 >> 32, m.X1, m.X1 >> 32, m.X2, m.X2 >> 32} {
		if uint64(i) < r.Arg && uint32(id) != 0 {
			fmt.Fprintf(b, " command buffer#%d", uint32(id))
		}
	}
}

var storageNames = [...]string{"shared", "managed", "private", "memoryless"}

// writeValue writes a value that the row calls meaning.
func (q *loggedProcess) writeValue(b *strings.Builder, meaning string, v uint64) {
	switch {
	case strings.HasPrefix(meaning, "StringID of"):
		if text, known := q.texts[wire.StringID(v)]; known {
			what, isLabel := "", meaning == "StringID of the label"
			switch {
			case isLabel:
				what = "label "
			case strings.Contains(meaning, "hash"):
				what = "source "
			}
			fmt.Fprintf(b, " %s%q", what, text)
		}
	case strings.HasSuffix(meaning, "bytes"):
		fmt.Fprintf(b, " %d %s", v, meaning)
	case meaning == "MTLResourceOptions":
		fmt.Fprintf(b, " %s", storageNames[v>>4&3])
	case meaning == "MTLDispatchType":
		b.WriteString(map[bool]string{true: " concurrent"}[v == 1])
	case meaning == "Sampling":
		if s := wire.Sampling(min(v, 0xff)); s != wire.SamplingMeasured {
			fmt.Fprintf(b, " (its time is estimated: %s)", s)
		}
	case strings.Contains(meaning, "ObjectID"):
		kind := strings.TrimSuffix(strings.TrimPrefix(meaning, "the "), "'s ObjectID")
		fmt.Fprintf(b, " %s#%d", kind, v)
	case strings.Contains(meaning, "pointer"), strings.Contains(meaning, "address"):
		fmt.Fprintf(b, " at 0x%x", v)
	case strings.Contains(meaning, "timeout"):
		fmt.Fprintf(b, " for %d ms at most", v)
	case objectKinds[meaning], strings.HasSuffix(meaning, "buffer"):
		fmt.Fprintf(b, " %s#%d", meaning, v)
	default:
		meaning, _, _ = strings.Cut(meaning, ",")
		fmt.Fprintf(b, " %s %d", meaning, v)
	}
}
