package summary

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"mtrace/analyze/xctrace"
	"mtrace/fixtures/xctrace/export"
)

// The traps of understanding what the rows mean. Each test opens with a mistake that was really made; the trap numbers
// are the numbers in docs/xctrace.md.

// Trap 4. Rows without a process were counted as the target's.
func TestTrap04UnattributedIsNobodys(t *testing.T) {
	s := summarise(t, Filter{}, contents(launched, 0.001, nil), gpuTable(
		gpuRow{start: 100, duration: 100, pid: 7, buffer: 2, encoder: 3}, gpuRow{start: 300, duration: 300, buffer: 4,
			encoder: 5}, gpuRow{start: 700, duration: 100, pid: 7, buffer: 6, encoder: 7}))
	if s.GPU.Own.Intervals != 2 || s.GPU.OwnShare != 0.4 || s.GPU.UnattributedShare != 0.6 ||
		!warned(s, "belongs to no process") {
		t.Errorf("GPU %+v, warnings %q", s.GPU, s.Warnings)
	}
	all := summarise(t, Filter{All: true}, "", gpuTable(gpuRow{start: 100, duration: 100, pid: 7},
		gpuRow{start: 300, duration: 300}))
	if all.GPU.OwnShare != 0.25 || all.GPU.UnattributedShare != 0.75 {
		t.Errorf("of all processes: %+v", all.GPU)
	}
}

// Trap 5. target-pid="SINGLE" in the table of contents does not mean that the
// table holds one process: half of the rows were WindowServer's.
func TestTrap05SingleTargetTablesHoldOthers(t *testing.T) {
	s := summarise(t, Filter{}, contents(launched, 0.001, nil), gpuTable(
		gpuRow{start: 100, duration: 100, pid: 7}, gpuRow{start: 150, duration: 100, pid: 476},
		gpuRow{start: 300, duration: 100, pid: 7}))
	if s.GPU.Own.SumNS != 200 || s.GPU.All.SumNS != 300 || s.GPU.OtherProcessShare < 0.33 ||
		!warned(s, "33% of the GPU time belongs to other processes") {
		t.Errorf("GPU %+v, warnings %q", s.GPU, s.Warnings)
	}
}

// Trap 6. Rows overlap: their sum was 85.4% busy, the union 75.7%.
func TestTrap06BusyIsTheUnion(t *testing.T) {
	s := summarise(t, Filter{All: true}, "", gpuTable(
		gpuRow{start: 1000, duration: 100, channel: "Vertex", pid: 7}, gpuRow{start: 1050, duration: 100,
			channel: "Fragment", pid: 7},
		gpuRow{start: 1060, duration: 10, channel: "Compute", pid: 7}, gpuRow{start: 1190, duration: 10, channel: "Compute",
			pid: 7}))
	all := s.GPU.All
	if all.SumNS != 220 || all.BusyNS != 160 || all.OverlapNS != 50 || all.BusyShare != 0.8 || s.GPU.Idle.TotalNS != 40 ||
		len(s.GPU.Channels) != 3 {
		t.Errorf("GPU %+v", s.GPU)
	}
}

// Trap 7. "Coelasced N Encoders" (Apple's spelling) is one row for several
// encoders: rows are not encoders.
func TestTrap07CoalescedEncoders(t *testing.T) {
	s := summarise(t, Filter{All: true}, "", gpuTable(gpuRow{start: 100, duration: 5, label: "cb:Coelasced 3 Encoders",
		pid: 7}, gpuRow{start: 200, duration: 5, label: "cb:own", pid: 7}))
	if !warned(s, "1 GPU intervals stand for several encoders") {
		t.Errorf("warnings %q", s.Warnings)
	}
	for _, l := range s.Labels {
		if l.Coalesced != strings.Contains(l.Name, "Coelasced") {
			t.Errorf("label %+v", l)
		}
	}
}

// Trap 8. One encoder makes a row for each stage, sometimes two of one stage:
// rows were mistaken for encoders and for command buffers.
func TestTrap08StagesAreNotEncoders(t *testing.T) {
	s := summarise(t, Filter{All: true}, "", gpuTable(
		gpuRow{start: 100, duration: 5, channel: "Vertex", pid: 7, buffer: 2, encoder: 3},
		gpuRow{start: 110, duration: 5, channel: "Fragment", pid: 7, buffer: 2, encoder: 3},
		gpuRow{start: 120, duration: 5, channel: "Fragment", pid: 7, buffer: 2, encoder: 3},
		gpuRow{start: 130, duration: 5, channel: "Compute", pid: 7, buffer: 2, encoder: 4}))
	if s.GPU.Encoders != 2 || s.GPU.CommandBuffers != 1 || s.GPU.Own.Intervals != 4 {
		t.Errorf("GPU %+v", s.GPU)
	}
}

// Trap 9. start-latency is the time from commit to GPU start, so it grows with the queue; a deep queue was reported as
// a slow CPU. Only the idle part of it is a stall.
func TestTrap09LatencyIsQueueing(t *testing.T) {
	deep := export.Record(export.Config{Seed: 8, CommandBuffers: 600, Threads: 4, GPUNanos: 60_000})
	s := of(t, load(t, exported(t, deep)), Filter{})
	if s.Latency.CommitToGPU.P50NS < 1_000_000 || s.GPU.Idle.Share > 0.01 || s.Verdict.Verdict != "gpu-saturated" {
		t.Errorf("latency %v, idle %v, verdict %+v", s.Latency.CommitToGPU, s.GPU.Idle.Share, s.Verdict)
	}
	var b bytes.Buffer
	s.Text(&b)
	if !strings.Contains(b.String(), "commit to GPU start (with queueing)") {
		t.Error("the text does not say that queueing is inside")
	}
}

// The identity start-latency = GPU start − commit is checked, and a table that
// breaks it is reported.
func TestTrapStartLatencyIdentity(t *testing.T) {
	wrong := export.Record(export.Config{Seed: 9, CommandBuffers: 200, WrongLatency: 10})
	s := of(t, load(t, exported(t, wrong)), Filter{})
	id := s.Latency.StartLatencyChecked
	if id == nil || id.Checked != 200 || id.Violations != 20 || id.MaxErrorNS != 1000 ||
		!warned(s, "differs from GPU start minus commit in 20 of 200") {
		t.Errorf("check %+v, warnings %q", id, s.Warnings)
	}
}

// Trap 10. The encoder list is CPU time: "61% of the GPU time is blit" was made
// of it.
func TestTrap10EncoderListIsCPUTime(t *testing.T) {
	r := export.Record(export.Config{Seed: 10, CommandBuffers: 100})
	s := of(t, load(t, exported(t, r, "metal-application-encoders-list")), Filter{})
	if s.GPU != nil || len(s.Labels) != 0 || len(s.Encoders) != 1 || !strings.Contains(whyMissing(s, "GPU time"),
		tableGPU) {
		t.Errorf("GPU %+v, labels %v, missing %v", s.GPU, s.Labels, s.Missing)
	}
}

// Trap 11. Attaching gives no Metal rows; launching does.
func TestTrap11AttachedRecordings(t *testing.T) {
	s := summarise(t, Filter{}, contents(strings.Replace(launched, "launched", "attached", 1), 0.5, []string{tableGPU}),
		emptyTable(tableGPU))
	if why := whyMissing(s, "GPU time, idle"); !strings.Contains(why, "attached") || !strings.Contains(why, "--launch") {
		t.Errorf("missing: %q", why)
	}
}

// Trap 12. "This Mac records no rows" was one failed recording: 24 rows of the
// whole machine where others have 36,441.
func TestTrap12FailedRecordings(t *testing.T) {
	s := summarise(t, Filter{}, contents(launched, 15, []string{tableGPU}),
		gpuTable(many(24, gpuRow{start: 100, duration: 5, pid: 7})...))
	if !warned(s, "24 GPU intervals of all processes in 15.0 s") {
		t.Errorf("warnings %q", s.Warnings)
	}
	s = summarise(t, Filter{}, strings.Replace(contents(launched, 0, nil), "2026-10-10T14:43:30.540-05:00", "", 1),
		gpuTable(gpuRow{start: 100, duration: 5, pid: 7}))
	if !warned(s, "no start date: the recording failed") {
		t.Errorf("warnings %q", s.Warnings)
	}
}

// Trap 13. A table can be empty while another has 26,292 rows.
func TestTrap13TablesFailOneByOne(t *testing.T) {
	s := summarise(t, Filter{All: true}, "", gpuTable(many(60, gpuRow{start: 100, duration: 5, pid: 7})...),
		emptyTable(tableSubmissions))
	if !warned(s, "has no rows while metal-gpu-intervals has 60") || s.GPU.Own.Intervals != 60 {
		t.Errorf("warnings %q", s.Warnings)
	}
	r := export.Record(export.Config{Seed: 11, CommandBuffers: 50})
	dir := t.TempDir()
	var b bytes.Buffer
	r.Write(&b, tableSubmissions)
	os.WriteFile(filepath.Join(dir, "a.xml"), b.Bytes(), 0o666)
	b.Reset()
	w := export.NewWriter(&b)
	emptyTable(tableGPU)(w)
	w.Close()
	os.WriteFile(filepath.Join(dir, "b.xml"), b.Bytes(), 0o666)
	inputs, _, _ := xctrace.Inputs([]string{dir}, nil)
	if s := of(t, load(t, inputs), Filter{}); !warned(s, "it does not mean that the GPU was idle") ||
		!strings.Contains(s.Verdict.Summary, "there are no GPU times") {
		t.Errorf("warnings %q, verdict %+v", s.Warnings, s.Verdict)
	}
}

// Trap 14. Of 49,000 rows 87 were python's: the wrong process was recorded.
func TestTrap14FewRowsOfTheTarget(t *testing.T) {
	rows := append(many(100, gpuRow{start: 100, duration: 5, pid: 476}), gpuRow{start: 50_000, duration: 5, pid: 7},
		gpuRow{start: 60, duration: 5, pid: 7})
	s := summarise(t, Filter{}, contents(launched, 0.5, nil), gpuTable(rows...))
	if !warned(s, "only 2 of ") {
		t.Errorf("warnings %q", s.Warnings)
	}
	s = summarise(t, Filter{}, contents(launched, 0.5, nil),
		gpuTable(many(100, gpuRow{start: 100, duration: 5, pid: 476})...))
	if s.GPU.Own.Intervals != 0 || !strings.Contains(whyMissing(s, "GPU time of the subject"), "all of other processes") {
		t.Errorf("missing %v", s.Missing)
	}
}

// Trap 17. A hardened program is killed by the library that --launch injects.
func TestTrap17KilledTargets(t *testing.T) {
	s := summarise(t, Filter{}, contents(strings.Replace(launched, "exit(0)", "signal(9)", 1), 0.5, nil),
		gpuTable(gpuRow{start: 1, duration: 1, pid: 7}))
	if !warned(s, "signal(9)") || !warned(s, "hardened") {
		t.Errorf("warnings %q", s.Warnings)
	}
}

// Traps 18 and 19. Without a counter set there are no counters, without Shader
// Timeline no shaders; the settings in the table of contents say which.
func TestTrap18And19SettingsExplainEmptyTables(t *testing.T) {
	toc := contents(launched, 0.5, []string{tableShaders, tableCounters}, "Counter Set: (null)",
		"Shader Timeline: Disabled")
	s := summarise(t, Filter{}, toc, gpuTable(gpuRow{start: 1, duration: 1, pid: 7}), emptyTable(tableShaders),
		emptyTable(tableCounters))
	if why := whyMissing(s, "GPU counters"); !strings.Contains(why, "no Counter Set was chosen") {
		t.Errorf("counters: %q", why)
	}
	if why := whyMissing(s, "time per shader"); !strings.Contains(why, "Shader Timeline is Disabled") {
		t.Errorf("shaders: %q", why)
	}
	s = summarise(t, Filter{}, contents(launched, 0.5, []string{tableShaders}),
		gpuTable(gpuRow{start: 1, duration: 1, pid: 7}))
	if why := whyMissing(s, "time per shader"); !strings.Contains(why, "xctrace export --input") {
		t.Errorf("recorded, not exported: %q", why)
	}
	s = summarise(t, Filter{}, contents(launched, 0.5, []string{}), gpuTable(gpuRow{start: 1, duration: 1, pid: 7}))
	if why := whyMissing(s, "time per shader"); !strings.Contains(why, "was not recorded with the template") {
		t.Errorf("not recorded: %q", why)
	}
}

// Traps 20 and 21. Shader Timeline left out a shader with 11% of all samples:
// its shares are among shaders, never of the GPU's time.
func TestTrap20And21ShaderTimelineDoesNotCoverAll(t *testing.T) {
	shaders := func(w *export.Writer) {
		schema, _ := export.SchemaOf(tableShaders)
		w.BeginTable("//trace-toc[1]/run[1]/data[1]/table[2]", tableShaders, schema.Columns)
		row := make([]export.Value, len(schema.Columns))
		for i, c := range schema.Columns {
			switch c.Mnemonic {
			case "start":
				row[i] = export.Time("start-time", 100)
			case "duration":
				row[i] = export.Duration(25)
			case "name":
				row[i] = export.Text("metal-object-label", "axpy (4)")
			case "process":
				row[i] = export.ProcessValue("p7", 7)
			default:
				row[i] = export.Sentinel
			}
		}
		w.Row(row)
		w.EndTable()
	}
	s := summarise(t, Filter{All: true}, "", gpuTable(gpuRow{start: 100, duration: 100, pid: 7}), shaders)
	if len(s.Shaders) != 1 || s.Shaders[0].SumNS != 25 || s.Shaders[0].Share != 1 ||
		!warned(s, "covers only 25% of the subject's GPU time") {
		t.Errorf("shaders %+v, warnings %q", s.Shaders, s.Warnings)
	}
}

// Trap 22. Recording counters, or inducing a state, holds the clock: such times
// do not compare.
func TestTrap22CountersPinTheClock(t *testing.T) {
	row := gpuTable(gpuRow{start: 1, duration: 1, pid: 7})
	if s := summarise(t, Filter{}, contents(launched, 0.5, nil, "Counter Set: Performance Limiters"), row); !warned(s,
		"fixes the GPU's clock") {
		t.Errorf("warnings %q", s.Warnings)
	}
	if s := summarise(t, Filter{}, contents(launched, 0.5, nil, "Induced GPU Performance State: Maximum"), row); !warned(
		s, "forced the GPU into the performance state Maximum") {
		t.Errorf("warnings %q", s.Warnings)
	}
	if s := summarise(t, Filter{}, contents(launched, 0.5, nil, "Counter Set: (null)",
		"Induced GPU Performance State: Default"), row); warned(s, "clock") || warned(s, "induced") {
		t.Errorf("warnings %q", s.Warnings)
	}
}

// Trap 23. Work without a label is called "Command Buffer 0:Compute Command 0", and debug groups do not help.
func TestTrap23UnlabelledWork(t *testing.T) {
	for label, unlabelled := range map[string]bool{
		"": true, "Command Buffer 0:Compute Command 0": true, "Command Buffer 12:Blit Command 3": true,
		"step.1:Compute Command 0": false,
		"Command Buffer 0:gemm":    false, "a:b": false, "gemm": false,
	} {
		if defaultLabel(label) != unlabelled {
			t.Errorf("%q: default %v", label, !unlabelled)
		}
	}
	s := summarise(t, Filter{All: true}, "",
		gpuTable(gpuRow{start: 1, duration: 1, pid: 7, label: "Command Buffer 0:Compute Command 0"}))
	if !warned(s, "set MTLCommandBuffer.label") {
		t.Errorf("warnings %q", s.Warnings)
	}
}

// Traps 24, 28 and 32. An encoder holds many dispatches, so rows are no kernels; frame numbers are per process and some
// frames spanned 3.74 s; the export does not contain the cost of recording. None of the three is guessed.
func TestTrap24And28And32NothingIsGuessed(t *testing.T) {
	r := load(t, exported(t, export.Record(export.Config{Seed: 12, CommandBuffers: 60})))
	s := of(t, r, Filter{})
	for what, want := range map[string]string{"dispatches": "a row is not a kernel",
		"frames per second": "no frame rate can be derived", "overhead": "does not say", "wait for the GPU": "mtrace run"} {
		if why := whyMissing(s, what); !strings.Contains(why, want) {
			t.Errorf("%s: %q", what, why)
		}
	}
	trace, err := Trace(r, Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for b := range trace.Buffers() {
		for _, e := range b.Encoders {
			if len(e.Dispatches) != 0 {
				t.Fatal("the model has dispatches, which the export does not")
			}
		}
	}
	if len(trace.Waits) != 0 || len(trace.Source.Missing) < 4 {
		t.Errorf("%d waits, missing %v", len(trace.Waits), trace.Source.Missing)
	}
}

// Trap 25. Chrome's GPU process draws for its renderers: a conclusion about one
// of them was the other way round.
func TestTrap25ProcessAndLabelDiffer(t *testing.T) {
	s := summarise(t, Filter{All: true}, "", gpuTable(gpuRow{start: 1, duration: 1, pid: 7, labelPID: 8},
		gpuRow{start: 3, duration: 1, pid: 7}))
	if !warned(s, "1 GPU intervals name one process in their label and another") {
		t.Errorf("warnings %q", s.Warnings)
	}
}

// Trap 26. "log archive is corrupt" empties the signpost tables without a note in the export.
func TestTrap26EmptySignposts(t *testing.T) {
	s := summarise(t, Filter{All: true}, "", gpuTable(gpuRow{start: 1, duration: 1, pid: 7}), emptyTable("os-signpost"))
	if why := whyMissing(s, "signposts"); !strings.Contains(why, "log archive is corrupt") {
		t.Errorf("signposts: %q", why)
	}
}

// Trap 27. Some phases leave no GPU rows, so they must come from outside: from
// signposts, or a range of time.
func TestTrap27PhasesComeFromOutside(t *testing.T) {
	signposts := func(w *export.Writer) {
		w.BeginTable("//trace-toc[1]/run[1]/data[1]/table[3]", "OSSignpostIntervals", []export.Column{
			{Mnemonic: "start", Name: "Start", Type: "start-time"}, {Mnemonic: "duration", Name: "Duration", Type: "duration"},
			{Mnemonic: "name", Name: "Name", Type: "signpost-name"}, {Mnemonic: "process", Name: "Process", Type: "process"},
		})
		process := export.ProcessValue("p7", 7)
		w.Row([]export.Value{export.Time("start-time", 100), export.Duration(100), export.Text("signpost-name", "load"),
			process})
		w.Row([]export.Value{export.Time("start-time", 250), export.Duration(100), export.Text("signpost-name", "step"),
			process})
		w.Row([]export.Value{export.Time("start-time", 300), export.Duration(100), export.Text("signpost-name", "step"),
			process})
		w.EndTable()
	}
	s := summarise(t, Filter{All: true}, "", gpuTable(
		gpuRow{start: 90, duration: 20, pid: 7}, gpuRow{start: 240, duration: 20, pid: 7}, gpuRow{start: 340, duration: 30,
			pid: 7}, gpuRow{start: 350, duration: 200, pid: 7}), signposts)
	want := []Phase{{"step", 2, 200, known(true, Nanos(10+60))}, {"load", 1, 100, known(true, Nanos(10))}}
	if !reflect.DeepEqual(s.Signposts, want) {
		t.Errorf("phases %+v, want %+v", s.Signposts, want)
	}
	// Without a table of the GPU's work that work is unknown, not none, as was reported for a real export of signposts
	// alone.
	if s := summarise(t, Filter{All: true}, "", signposts); len(s.Signposts) != 2 || s.Signposts[0].GPUBusyNS != nil {
		t.Errorf("phases without a table of the GPU's work: %+v", s.Signposts)
	}
	if s := summarise(t, Filter{All: true, From: 240, To: 360}, "", gpuTable(gpuRow{start: 90, duration: 20, pid: 7},
		gpuRow{start: 240, duration: 20, pid: 7},
		gpuRow{start: 340, duration: 30, pid: 7})); s.GPU.Own.SumNS != 40 || s.Window.LengthNS != 120 {
		t.Errorf("range: %+v, window %+v", s.GPU.Own, s.Window)
	}
}

// Trap 29. Intervals of display-vsyncs are all 1 ns long, and two displays have
// one name: the table gives its own times, and no GPU time is built from it.
func TestTrap29DisplayTablesAreNoGPUWork(t *testing.T) {
	vsyncs := func(w *export.Writer) {
		w.BeginTable("//trace-toc[1]/run[1]/data[1]/table[4]", "display-vsyncs-interval", []export.Column{
			{Mnemonic: "timestamp", Name: "Timestamp", Type: "start-time"}, {Mnemonic: "duration", Name: "Duration",
				Type: "duration"}, {Mnemonic: "display-name", Name: "Display", Type: "display-name"},
		})
		w.Row([]export.Value{export.Time("start-time", 100), export.Duration(1),
			export.Text("display-name", "Built-In Display")})
		w.EndTable()
	}
	s := summarise(t, Filter{All: true}, "", gpuTable(gpuRow{start: 50, duration: 10, pid: 7}), vsyncs)
	if s.GPU.All.SumNS != 10 || s.Window.ToNS != 60 {
		t.Errorf("GPU %+v, window %+v", s.GPU.All, s.Window)
	}
	for _, table := range s.Tables {
		if table.Schema == "display-vsyncs-interval" && (table.Rows != 1 || table.Read ||
			!strings.Contains(table.Note, "knows only this table's columns")) {
			t.Errorf("table %+v", table)
		}
	}
}

// A table given twice was counted twice; two recordings were mixed into one.
func TestTrapTheSameTableTwice(t *testing.T) {
	table := gpuTable(gpuRow{start: 50, duration: 10, pid: 7})
	s := summarise(t, Filter{All: true}, "", table, table)
	if s.GPU.All.Intervals != 1 || !warned(s, "already read from") {
		t.Errorf("%d intervals, warnings %q", s.GPU.All.Intervals, s.Warnings)
	}
	dir := t.TempDir()
	for i, date := range []string{"2026-10-10T14:43:30.540-05:00", "2026-10-11T14:43:30.540-05:00"} {
		text := strings.Replace(contents(launched, 1, nil), "2026-10-10T14:43:30.540-05:00", date, 1)
		os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".xml")), []byte(text), 0o666)
	}
	inputs, _, err := xctrace.Inputs([]string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := xctrace.Load(inputs, nil); err == nil || !strings.Contains(err.Error(), "more than one recording") {
		t.Errorf("two recordings: %v", err)
	}
}

// Trap 13 again: if the submissions are missing or empty, the table with both levels replaces them, and the summary
// says so.
func TestTrap13ApplicationIntervalsStandIn(t *testing.T) {
	simulated := export.Record(export.Config{Seed: 14, CommandBuffers: 120, Threads: 2, Encoders: 2})
	want := of(t, load(t, exported(t, simulated)), Filter{})
	s := of(t, load(t, exported(t, simulated, "toc", tableGPU, tableCompleted, "metal-application-intervals")), Filter{})
	if !warned(s, "are taken from metal-application-intervals") {
		t.Errorf("warnings %q", s.Warnings)
	}
	if fmt.Sprint(s.Threads) != fmt.Sprint(want.Threads) || fmt.Sprint(s.Processes) != fmt.Sprint(want.Processes) ||
		fmt.Sprint(*s.Latency.CommitToGPU) != fmt.Sprint(*want.Latency.CommitToGPU) || len(s.Encoders) != len(want.Encoders) {
		t.Errorf("threads %+v, with the submissions %+v", s.Threads, want.Threads)
	}
}

// Data that was recorded but not exported is one hint, not a line for each table.
func TestMissingExportsAreOneHint(t *testing.T) {
	s := summarise(t, Filter{}, contents(launched, 0.5, []string{tableSubmissions, tableCompleted, tableEncoders,
		tablePerformance}), gpuTable(gpuRow{start: 1, duration: 1, pid: 7}))
	var b bytes.Buffer
	if err := s.Text(&b); err != nil {
		t.Fatal(err)
	}
	if strings.Count(b.String(), "xctrace export") != 1 ||
		!strings.Contains(b.String(), tableSubmissions+", "+tableCompleted) {
		t.Error(b.String())
	}
}

// Idle time by the work before and after it: which step waits for which.
func TestIdleByTransition(t *testing.T) {
	s := summarise(t, Filter{All: true}, "", gpuTable(
		gpuRow{start: 100, duration: 10, label: "a", pid: 7}, gpuRow{start: 130, duration: 10, label: "b", pid: 7},
		gpuRow{start: 145, duration: 5, label: "a", pid: 7},
		gpuRow{start: 200, duration: 10, label: "b", pid: 7}, gpuRow{start: 205, duration: 20, label: "c", pid: 476},
		gpuRow{start: 225, duration: 5, label: "a", pid: 7}))
	want := []Transition{{"a", "b", 2, 20 + 50, 50}, {"b", "a", 1, 5, 5}}
	if fmt.Sprint(s.GPU.Idle.Between) != fmt.Sprint(want) || s.GPU.Idle.TotalNS != 75 || s.GPU.Idle.Gaps != 3 {
		t.Errorf("idle %+v, want %v", s.GPU.Idle, want)
	}
}

// The template inside a bundle has the settings when the table of contents does
// not.
func TestTemplateSettings(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "toc.xml"), []byte(contents(launched, 0.5, []string{tableShaders})), 0o666)
	var b bytes.Buffer
	w := export.NewWriter(&b)
	emptyTable(tableShaders)(w)
	w.Close()
	os.WriteFile(filepath.Join(dir, "shaders.xml"), b.Bytes(), 0o666)
	inputs, _, err := xctrace.Inputs([]string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := load(t, inputs)
	r.Template = []xctrace.Setting{{Key: "shaderprofiler", Value: "false"}}
	s := of(t, r, Filter{})
	if why := whyMissing(s, "time per shader"); !strings.Contains(why, "Shader Timeline is Disabled") ||
		len(s.Source.Settings) == 0 {
		t.Errorf("shaders: %q, settings %v", why, s.Source.Settings)
	}
}

// Command buffer numbers are per process: another process's command buffer with the same number is a different one.
func TestCommandBufferNumbersOfTwoProcesses(t *testing.T) {
	simulated := export.Record(export.Config{Seed: 15, CommandBuffers: 100})
	r := load(t, exported(t, simulated))
	want := of(t, r, Filter{})
	stranger := r.GPU.Intervals[50]
	stranger.Process = 0
	for i, p := range r.Processes {
		if i > 0 && p.PID != simulated.Target.PID {
			stranger.Process = xctrace.ProcessIndex(i)
		}
	}
	if stranger.Process == 0 {
		r.Processes = append(r.Processes, xctrace.Process{PID: 476, Name: "WindowServer"})
		stranger.Process = xctrace.ProcessIndex(len(r.Processes) - 1)
	}
	stranger.Start += 5_000_000 // of a command buffer that is long done
	early := stranger
	early.Process, early.Start = r.GPU.Intervals[0].Process, 1 // before it was made: a number used again
	r.GPU.Intervals = append(r.GPU.Intervals, stranger)
	s := of(t, r, Filter{})
	if fmt.Sprint(*s.Latency.GPUToCompletion) != fmt.Sprint(*want.Latency.GPUToCompletion) ||
		s.Latency.StartLatencyChecked.Checked != 100 || s.Latency.StartLatencyChecked.Violations != 0 {
		t.Errorf("latency %+v, check %+v", s.Latency.GPUToCompletion, s.Latency.StartLatencyChecked)
	}
	r.GPU.Intervals = append(r.GPU.Intervals, early)
	if s := of(t, r, Filter{}); s.Latency.StartLatencyChecked.Violations != 0 || s.Latency.CommitToGPU.Count != 100 {
		t.Errorf("an early row: %+v", s.Latency.StartLatencyChecked)
	}
	trace, err := Trace(r, Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for b := range trace.Buffers() {
		if b.Committed.Known() && b.GPU.Known() && b.GPU.Length() > 1_000_000 {
			t.Errorf("command buffer %+v", b)
		}
	}
}
