package summary

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"mtrace/analyze/xctrace"
	"mtrace/fixtures/xctrace/export"
)

// A counter's value is in one of two columns, and some have only a label; means
// are weighted by time.
func TestCounters(t *testing.T) {
	s := summarise(t, Filter{All: true}, "", gpuTable(gpuRow{start: 100, duration: 10, pid: 7}), counterTable)
	want := []Counter{{"ALU", 2, 20, 50}, {"Occupancy", 1, 75, 75}}
	if fmt.Sprint(s.Counters) != fmt.Sprint(want) {
		t.Errorf("counters %+v, want %+v", s.Counters, want)
	}
}

// The summary of a time range had the counters of the whole recording.
func TestCountersOfAPart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.xml")
	var b bytes.Buffer
	w := export.NewWriter(&b)
	counterTable(w)
	if err := errors.Join(w.Close(), os.WriteFile(path, b.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, to Nanos
		want     []Counter
	}{
		{0, 0, []Counter{{"ALU", 2, 20, 50}, {"Occupancy", 1, 75, 75}}},
		{0, 130, []Counter{{"ALU", 1, 10, 10}, {"Occupancy", 1, 75, 75}}},
		{120, 135, []Counter{{"ALU", 2, (10*10 + 5*50) / 15.0, 50}, {"Occupancy", 1, 75, 75}}},
		{130, 0, []Counter{{"ALU", 1, 50, 50}, {"Occupancy", 1, 75, 75}}},
		{140, 150, nil},
	} {
		inputs, _, err := xctrace.Inputs([]string{path}, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := xctrace.NewRecording()
		r.From, r.To = c.from, c.to
		if err := r.Add(&inputs[0], nil); err != nil {
			t.Fatal(err)
		}
		r.Finish()
		if s := of(t, r, Filter{}); fmt.Sprint(s.Counters) != fmt.Sprint(c.want) || whyMissing(s, "GPU counters") != "" {
			t.Errorf("from %v to %v: %+v, want %+v, missing %q", c.from, c.to, s.Counters, c.want, whyMissing(s, "GPU counters"))
		}
	}
}

// counterTable has two counters, and a third with a label only.
func counterTable(w *export.Writer) {
	schema, _ := export.SchemaOf(tableCounters)
	w.BeginTable("//trace-toc[1]/run[1]/data[1]/table[5]", tableCounters, schema.Columns)
	for _, r := range []struct {
		start, duration uint64
		name            string
		value, percent  export.Value
	}{
		{100, 30, "ALU", export.Decimal("fixed-decimal", 10), export.Percent(99)},
		{130, 10, "ALU", export.Decimal("fixed-decimal", 50), export.Sentinel},
		{100, 40, "Occupancy", export.Sentinel, export.Percent(75)},
		{100, 40, "Top Limiter", export.Sentinel, export.Sentinel},
	} {
		row := make([]export.Value, len(schema.Columns))
		for i, c := range schema.Columns {
			switch c.Mnemonic {
			case "start":
				row[i] = export.Time("start-time", r.start)
			case "duration":
				row[i] = export.Duration(r.duration)
			case "name":
				row[i] = export.Text("gpu-counter-name", r.name)
			case "value":
				row[i] = r.value
			case "percent-value":
				row[i] = r.percent
			default:
				row[i] = export.Sentinel
			}
		}
		w.Row(row)
	}
	w.EndTable()
}
