package summary

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"mtrace/fixtures/xctrace/export"
)

// tableOf writes a table of the types that are given, "mnemonic:type …", for tables that the generator does not make.
func tableOf(schema, columns string, rows ...[]export.Value) func(*export.Writer) {
	return func(w *export.Writer) {
		var list []export.Column
		for _, c := range strings.Fields(columns) {
			mnemonic, kind, _ := strings.Cut(c, ":")
			list = append(list, export.Column{Mnemonic: mnemonic, Name: mnemonic, Type: kind})
		}
		w.BeginTable("//trace-toc[1]/run[1]/data[1]/table[20]", schema, list)
		for _, r := range rows {
			w.Row(r)
		}
		w.EndTable()
	}
}

// sampleAt is a row of time-profile: time, thread, weight, stack.
func sampleAt(at, weight uint64, functions ...string) []export.Value {
	row := []export.Value{export.Time("sample-time", at), export.ThreadValue("main", 70, "p7", 7, false),
		export.Number("weight", weight), export.Sentinel}
	var frames []export.StackFrame
	for i, name := range functions {
		frames = append(frames, export.StackFrame{Name: name, Address: uint64(0x1000 + i), Binary: "p7"})
	}
	if len(frames) > 0 {
		row[3] = export.Backtrace(frames)
	}
	return row
}

const profileColumns = "time:sample-time thread:thread weight:weight stack:backtrace"

// A CPU profile without tables of Metal was "no cpu profile", because only those tables set the window. Samples without
// a stack and samples of weight 0 were left out. Now all count, also those outside the window of the GPU's work.
func TestCPUProfileAlone(t *testing.T) {
	samples := tableOf("time-profile", profileColumns, sampleAt(5_000_000, 1_000_000, "leaf", "main"),
		sampleAt(6_000_000, 1_000_000, "main"),
		sampleAt(7_000_000, 1_000_000), sampleAt(900_000_000, 0, "leaf", "main"))
	for name, tables := range map[string][]func(*export.Writer){
		"alone":            {samples},
		"beside the GPU's": {samples, gpuTable(gpuRow{start: 1000, duration: 100, pid: 7})},
	} {
		s := summarise(t, Filter{}, "", tables...)
		c := s.CPU
		if c == nil || c.Samples != 4 || c.NoStack != 1 || c.NoWeight != 1 || c.TimeNS == nil || *c.TimeNS != 3_000_000 ||
			len(c.Threads) != 1 || c.Threads[0].Samples != 4 {
			t.Fatalf("%s: %+v", name, c)
		}
		if want := "[{leaf p7 2 2} {main p7 1 3} {(no stack)  1 1}]"; fmt.Sprint(c.Functions) != want {
			t.Errorf("%s: functions %v, want %s", name, c.Functions, want)
		}
		var b bytes.Buffer
		s.Text(&b)
		if alone := len(tables) == 1; alone && (strings.Contains(b.String(), "Serialization") ||
			strings.Count(b.String(), "is not among the inputs") > 0 || len(s.Missing) != 1) {
			t.Errorf("%s: the missing data is reported more than once:\n%s", name, b.String())
		} else if !alone && c.OutsideRange != 4 {
			t.Errorf("%s: %d samples beside the window", name, c.OutsideRange)
		}
	}
}

// The stacks of counters-profile were not used: the table was "known by its columns only". Its weights are times or
// cycles, by the column's type. If other tables have the same samples, these are used once.
func TestCountersProfileIsACPUProfile(t *testing.T) {
	const columns = "time:sample-time thread:thread pmc-events:any "
	row := func(tag string, at, weight uint64, functions ...string) []export.Value {
		r := sampleAt(at, weight, functions...)
		return []export.Value{r[0], r[1], export.Sentinel, export.Number(tag, weight), r[3]}
	}
	for _, c := range []struct {
		tag    string
		also   []func(*export.Writer)
		table  string
		cycles bool
	}{
		{"weight", nil, "counters-profile", false},
		{"cycle-weight", nil, "counters-profile", true},
		{"cycle-weight", []func(*export.Writer){tableOf("time-profile", profileColumns,
			sampleAt(5_000_000, 7, "leaf", "main"), sampleAt(6_000_000, 9, "main"))}, "time-profile", false},
	} {
		s := summarise(t, Filter{}, "", append(c.also, tableOf("counters-profile",
			columns+"weight:"+c.tag+" stack:backtrace", row(c.tag, 5_000_000, 7, "leaf", "main"),
			row(c.tag, 6_000_000, 9, "main")))...)
		if s.CPU == nil || s.CPU.Table != c.table || s.CPU.Samples != 2 || (s.CPU.Cycles != nil) != c.cycles ||
			(s.CPU.TimeNS != nil) == c.cycles || fmt.Sprint(s.CPU.Functions) != "[{main p7 1 2} {leaf p7 1 1}]" {
			t.Errorf("%s beside %d tables: %+v", c.tag, len(c.also), s.CPU)
		}
	}
}

// If mtrace knows only the columns of a table, the summary shows its times and texts.
func TestOtherTables(t *testing.T) {
	state := func(start, duration uint64, name string) []export.Value {
		return []export.Value{export.Time("start-time", start), export.Duration(duration), export.Text("thermal-state", name)}
	}
	s := summarise(t, Filter{}, "", tableOf("device-thermal-state-intervals",
		"start:start-time duration:duration thermal-state:thermal-state", state(1000, 500, "Nominal"),
		state(1500, 300, "Fair"), state(1800, 100, "Nominal")))
	if len(s.Others) != 1 {
		t.Fatalf("%+v", s.Others)
	}
	o := s.Others[0]
	if o.Rows != 3 || *o.FromNS != 1000 || *o.ToNS != 1900 || o.Length.SumNS != 900 ||
		fmt.Sprint(o.Values) != "[{thermal-state [{Nominal 2 600 ns} {Fair 1 300 ns}]}]" {
		t.Errorf("%+v, from %v to %v, length %+v, values %v", o, *o.FromNS, *o.ToNS, o.Length, o.Values)
	}
}

// A sentinel in a column of times was read as the time 0. Only 75 of 582 network updates have a round trip, so the
// median was 0 ns, and a table began when the recording did.
func TestNoTimeIsNotTheTimeZero(t *testing.T) {
	row := func(at, took export.Value) []export.Value {
		return []export.Value{at, took, export.Text("event-count", "1")}
	}
	trip := func(at, ns uint64) []export.Value { return row(export.Time("event-time", at), export.Duration(ns)) }
	s := summarise(t, Filter{}, "", tableOf("network-connection-update",
		"time:event-time min-rtt:duration rx-packets:event-count",
		row(export.Time("event-time", 5000), export.Sentinel), trip(6000, 300), row(export.Time("event-time", 7000),
			export.Sentinel), trip(8000, 500),
		row(export.Sentinel, export.Sentinel)))
	o := s.Others[0]
	if o.Rows != 5 || *o.FromNS != 5000 || *o.ToNS != 8500 || o.Length == nil || o.Length.Count != 2 ||
		o.Length.MinNS != 300 || o.Length.P50NS != 300 || o.Length.MeanNS != 400 {
		t.Errorf("%d rows, from %v to %v, length %+v", o.Rows, *o.FromNS, *o.ToNS, o.Length)
	}
	if s.Window.FromNS != 5000 {
		t.Errorf("window %+v", s.Window)
	}
	s = summarise(t, Filter{}, "", tableOf("network-connection-update", "time:event-time min-rtt:duration",
		[]export.Value{export.Sentinel, export.Sentinel}))
	if o := s.Others[0]; o.Rows != 1 || o.FromNS != nil || o.Length != nil {
		t.Errorf("without any time: %d rows, from %v, length %+v", o.Rows, o.FromNS, o.Length)
	}
}

// A time range past the end gave an empty summary, and a table of contents of another recording gave a summary without
// a process.
func TestNothingIsNotAnswered(t *testing.T) {
	r := load(t, exported(t, export.Record(export.Config{Seed: 3, CommandBuffers: 20})))
	if _, err := Of(r, Filter{From: 100 * 1e9}); err == nil || !strings.Contains(err.Error(), "the recording ends at") {
		t.Errorf("past the end: %v", err)
	}
	s := summarise(t, Filter{}, contents(strings.ReplaceAll(launched, "7", "8"), 0.001, nil),
		gpuTable(gpuRow{start: 100, duration: 100, pid: 7}))
	if !warned(s, "names p8 (8) as the target, but no row belongs to it; there are p7 (7)") {
		t.Errorf("warnings %q", s.Warnings)
	}
}

// Without submissions every process had "0 submissions" and "0 encoders": values that no table has are null.
func TestNoFalseZero(t *testing.T) {
	s := summarise(t, Filter{All: true}, "",
		gpuTable(many(60, gpuRow{start: 1000, duration: 500, pid: 7, label: "a:b"})...))
	data := mustJSON(t, s)
	for _, want := range []string{`"submissions": null`, `"encode_ns": null`, `"gpu_busy_ns": 30000`} {
		if !strings.Contains(data, want) {
			t.Errorf("no %s in %.2000s", want, data)
		}
	}
	if strings.Contains(s.Verdict.Summary+strings.Join(s.Verdict.Evidence, " "), "0 thread") {
		t.Errorf("verdict %+v", s.Verdict)
	}
}

// Labels are cut only where that is certain, equal work is one line whatever addresses its labels have, and of several
// processes each has its own.
func TestLabelsAreThePrograms(t *testing.T) {
	for _, c := range []struct{ text, known, buffer, encoder string }{
		{"a:b", "", "a", "b"},
		{"a:b:c", "", "", "a:b:c"},
		{"a:b:c", "a:b", "a:b", "c"},
		{"Command Buffer 3:x[1:2]", "", "Command Buffer 3", "x[1:2]"},
		{"x[1:2]:Compute Command 0", "", "x[1:2]", "Compute Command 0"},
		{"Read Surface: 658", "", "", "Read Surface: 658"},
		{"gemm", "", "", "gemm"},
	} {
		if buffer, encoder, _ := SplitLabel(c.text, c.known); buffer != c.buffer || encoder != c.encoder {
			t.Errorf("%q with %q: %q and %q", c.text, c.known, buffer, encoder)
		}
	}
	s := summarise(t, Filter{All: true}, "", gpuTable(
		gpuRow{start: 1000, duration: 10, pid: 7, label: "graph:0x47e7a0010"}, gpuRow{start: 2000, duration: 20, pid: 7,
			label: "graph:0x47e7b0020"},
		gpuRow{start: 3000, duration: 40, pid: 8, label: "graph:0x47e7b0020"}))
	if len(s.Labels) != 2 || s.Labels[0].Process != "p8 (8)" || s.Labels[1].Count != 2 || s.Labels[1].SumNS != 30 ||
		s.Labels[1].Name != "graph:0x…" {
		t.Errorf("labels %+v", s.Labels)
	}
}
