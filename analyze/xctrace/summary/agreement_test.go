package summary_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"mtrace/analyze/claims"
	"mtrace/analyze/diff"
	"mtrace/analyze/kernels"
	"mtrace/analyze/profile"
	"mtrace/analyze/report"
	"mtrace/analyze/table"
	"mtrace/analyze/timeline"
	"mtrace/analyze/xctrace"
	"mtrace/analyze/xctrace/summary"
	_ "mtrace/fixtures/testheap"
	"mtrace/fixtures/xctrace/export"
	"mtrace/fixtures/xctracetest"
)

// workRow is a row of the GPU as the simulation made it.
type workRow struct {
	begin, end int64
	channel    string
	process    string
	pid        int64
	buffer     int
}

// workOf lists the rows of a simulation.
func workOf(r *export.Recording) (rows []workRow) {
	for i, b := range r.Buffers {
		for _, e := range b.Encoders {
			for _, s := range e.Stages {
				p := r.Processes[b.Process]
				rows = append(rows, workRow{int64(s.Start), int64(s.Start + s.Duration), s.Channel, p.Name, int64(p.PID), i})
			}
		}
	}
	return rows
}

// covered returns the union and the sum of the selected rows, by a method that no output uses: the time line is cut at
// every begin and end, and each interval is looked up in every row.
func covered(rows []workRow, wanted func(workRow) bool) (union, sum int64) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r workRow) bool { return !wanted(r) })
	var cuts []int64
	for _, r := range rows {
		cuts = append(cuts, r.begin, r.end)
	}
	slices.Sort(cuts)
	for i := 1; i < len(cuts); i++ {
		ran := 0
		for _, r := range rows {
			if r.begin <= cuts[i-1] && r.end >= cuts[i] {
				ran++
			}
		}
		sum += int64(ran) * (cuts[i] - cuts[i-1])
		if ran > 0 {
			union += cuts[i] - cuts[i-1]
		}
	}
	return union, sum
}

// TestOneFigureInEveryOutput: for one export `mtrace xctrace` reported 2.27 ms busy and `mtrace report` 2.56 ms,
// because the model had one interval for each command buffer, from its first work to its last. For an export with
// several channels a claim gpu.busy_share > 0.9 passed where the truth was 0.33. For mtrace diff an encoder that no
// table names took 0 ns. Numbers of command buffers were mistaken for identities: with 3 numbers for 60 command
// buffers, three command buffers ran for the whole time. Every output's figure is compared with the simulation.
func TestOneFigureInEveryOutput(t *testing.T) {
	const gpu, submitted, completed, encoders = "metal-gpu-intervals", "metal-application-command-buffer-submissions",
		"metal-command-buffer-completed", "metal-application-encoders-list"
	simulated := export.Record(export.Config{Seed: 21, CommandBuffers: 60, Threads: 3, Encoders: 3, Wait: true, Names: 3,
		Channels: true, Compositor: true, GPUNanos: 9_000})
	for _, tables := range [][]string{{gpu, submitted, completed, encoders}, {gpu, submitted}, {gpu, completed}, {gpu}} {
		t.Run(fmt.Sprint(len(tables), tables[len(tables)-1]), func(t *testing.T) {
			for _, all := range []bool{false, true} {
				f := summary.Filter{All: all}
				agree(t, simulated, xctracetest.Load(t, simulated, tables...), f)
			}
		})
	}
}

func agree(t *testing.T, simulated *export.Recording, recording *xctrace.Recording, f summary.Filter) {
	t.Helper()
	rows := workOf(simulated)
	own := func(r workRow) bool { return f.All || r.process == simulated.Target.Name }
	busy, sum := covered(rows, own)
	s, err := summary.Of(recording, f)
	if err != nil {
		t.Fatal(err)
	}
	trace, err := summary.Trace(recording, f)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, got, want int64) {
		t.Helper()
		if got != want {
			t.Errorf("all processes %v: %s is %d, the truth is %d", f.All, what, got, want)
		}
	}
	var buffers, took, latency int64
	for i, b := range simulated.Buffers {
		if f.All || simulated.Processes[b.Process].PID == simulated.Target.PID {
			union, _ := covered(rows, func(r workRow) bool { return r.buffer == i })
			first := slices.MinFunc(rows, func(a, b workRow) int {
				switch {
				case a.buffer == i && b.buffer != i:
					return -1
				case a.buffer != i && b.buffer == i:
					return 1
				}
				return int(a.begin - b.begin)
			})
			buffers, took, latency = buffers+1, took+union, latency+first.begin-int64(b.Committed)
		}
	}
	// mtrace xctrace
	check("busy of mtrace xctrace", int64(s.GPU.Own.BusyNS), busy)
	check("sum of mtrace xctrace", int64(s.GPU.Own.SumNS), sum)
	check("command buffers of mtrace xctrace", int64(s.GPU.CommandBuffers), buffers)
	for _, c := range s.GPU.Channels {
		union, sum := covered(rows, func(r workRow) bool { return own(r) && r.channel == c.Name })
		check("busy of channel "+c.Name, int64(c.Own.BusyNS), union)
		check("sum of channel "+c.Name, int64(c.Own.SumNS), sum)
	}
	for _, p := range s.Processes {
		union, sum := covered(rows, func(r workRow) bool {
			return r.process == p.Name && int64(s.Window.FromNS) < r.end && r.begin < int64(s.Window.ToNS)
		})
		if p.Subject { // other programs' work may be cut by the window
			check("busy of "+p.Name, int64(p.GPUBusyNS), union)
			check("sum of "+p.Name, int64(p.GPUSumNS), sum)
		}
	}
	check("latencies of mtrace xctrace", int64(s.Latency.CommitToGPU.Count), buffers)
	check("latency of mtrace xctrace", int64(s.Latency.CommitToGPU.SumNS), latency)
	// The model
	var ofBuffers int64
	for b := range trace.Buffers() {
		ofBuffers += int64(b.Took(trace.TimeRange))
	}
	check("command buffers of the model", int64(len(trace.CommandBuffers)), buffers)
	check("what command buffers took", ofBuffers, took)
	// mtrace report, and the values that mtrace check and mtrace diff read from it
	r := report.Build(trace, report.Options{})
	check("busy of mtrace report", r.GPU.BusyNS, busy)
	check("sum of mtrace report", r.GPU.SumNS, sum)
	check("latencies of mtrace report", r.GPU.StartLatency.Count, buffers)
	if mean := r.GPU.StartLatency.MeanNS; math.Abs(float64(mean-latency/buffers)) > 0.001*float64(mean)+1 {
		t.Errorf("mean latency of mtrace report is %d, the truth is %d", mean, latency/buffers)
	}
	if math.Abs(r.GPU.BusyShare-s.GPU.Own.BusyShare) > 1e-12 {
		t.Errorf("busy share of mtrace report is %v, of mtrace xctrace %v", r.GPU.BusyShare, s.GPU.Own.BusyShare)
	}
	var ofKernels int64
	for _, k := range kernels.Summarize(trace) {
		ofKernels += int64(k.GPU)
	}
	check("time of the kernels", ofKernels, sum)
	if len(r.Queues) == 1 && s.InFlight != nil {
		if q := r.Queues[0]; q.InFlightMax != s.InFlight.Max || math.Abs(q.InFlightMean-s.InFlight.Mean) > 1e-9 {
			t.Errorf("in flight: mtrace report says %.3f and %d, mtrace xctrace %.3f and %d", q.InFlightMean, q.InFlightMax,
				s.InFlight.Mean, s.InFlight.Max)
		}
	}
	var document bytes.Buffer
	if err := r.WriteJSON(&document); err != nil {
		t.Fatal(err)
	}
	truth := float64(busy) / float64(trace.TimeRange.Length())
	claimed(t, document.Bytes(), fmt.Sprintf("gpu.busy_share > %.6f", truth*0.999), claims.Pass)
	claimed(t, document.Bytes(), fmt.Sprintf("gpu.busy_share > %.6f", truth*1.001), claims.Fail)
	compared, err := diff.Compare([]*diff.Run{diff.Of("a", trace)}, []*diff.Run{diff.Of("b", trace)})
	if err != nil || slices.ContainsFunc(compared.Changes, func(c diff.Change) bool {
		return c.A != c.B ||
			c.CountA != c.CountB
	}) {
		t.Errorf("a recording differs from itself: %v, %+v", err, compared)
	}
	var inDiff float64
	for _, c := range compared.Changes {
		if c.Kind == diff.KindKernel {
			inDiff += float64(c.CountA) * c.MeanA
		}
	}
	check("time of the kernels in mtrace diff", int64(math.Round(inDiff)), sum)
	// mtrace pprof
	p, err := profile.Build("gpu", trace)
	if err != nil {
		t.Fatal(err)
	}
	var values [3]int64
	ofProcess, ofChannel := map[int64]int64{}, map[string]int64{}
	for _, x := range p.Sample {
		for i := range values {
			values[i] += x.Value[i]
		}
		ofProcess[x.NumLabel["pid"][0]] += x.Value[1]
		for _, l := range x.Location {
			if channel, is := strings.CutSuffix(l.Line[0].Function.Name, " channel"); is {
				ofChannel[channel] += x.Value[1]
			}
		}
	}
	pids, channels := []int64{}, []string{}
	for _, r := range rows {
		if own(r) && !slices.Contains(pids, r.pid) {
			pids = append(pids, r.pid)
		}
		if own(r) && !slices.Contains(channels, r.channel) {
			channels = append(channels, r.channel)
		}
	}
	if len(channels) < 3 || f.All != (len(pids) > 1) || len(ofProcess) != len(pids) || len(ofChannel) != len(channels) {
		t.Errorf("processes %v, channels %v; mtrace pprof has %v and %v", pids, channels, ofProcess, ofChannel)
	}
	for _, pid := range pids {
		_, sum := covered(rows, func(r workRow) bool { return r.pid == pid })
		check(fmt.Sprintf("time of process %d in mtrace pprof", pid), ofProcess[pid], sum)
	}
	for _, channel := range channels {
		_, sum := covered(rows, func(r workRow) bool { return own(r) && r.channel == channel })
		check("time of channel "+channel+" in mtrace pprof", ofChannel[channel], sum)
	}
	check("command buffers of mtrace pprof", values[0], buffers)
	check("time of mtrace pprof", values[1], sum)
	check("queued of mtrace pprof", values[2], latency)
	// mtrace export
	var lines, chrome bytes.Buffer
	if err := table.NewJSONLines(&lines).Whole(trace); err != nil {
		t.Fatal(err)
	}
	var again []workRow
	var ofTable int64
	for d := json.NewDecoder(&lines); d.More(); {
		var row struct {
			Table   string
			Begin   int64 `json:"begin_ns"`
			End     int64 `json:"end_ns"`
			GPU     int64 `json:"gpu_ns"`
			Channel string
			PID     int64
		}
		if err := d.Decode(&row); err != nil {
			t.Fatal(err)
		}
		switch row.Table {
		case "gpu_work":
			again = append(again, workRow{begin: row.Begin, end: row.End, channel: row.Channel, pid: row.PID})
		case "command_buffers":
			ofTable += row.GPU
		}
	}
	everything := func(workRow) bool { return true }
	union, total := covered(again, everything)
	check("busy of mtrace export", union, busy)
	check("sum of mtrace export", total, sum)
	check("what command buffers took in mtrace export", ofTable, took)
	for _, pid := range pids {
		of := func(r workRow) bool { return r.pid == pid }
		union, sum := covered(rows, of)
		gotUnion, gotSum := covered(again, of)
		check(fmt.Sprintf("busy of process %d in mtrace export", pid), gotUnion, union)
		check(fmt.Sprintf("sum of process %d in mtrace export", pid), gotSum, sum)
	}
	for _, channel := range channels {
		union, sum := covered(rows, func(r workRow) bool { return own(r) && r.channel == channel })
		gotUnion, gotSum := covered(again, func(r workRow) bool { return r.channel == channel })
		check("busy of channel "+channel+" in mtrace export", gotUnion, union)
		check("sum of channel "+channel+" in mtrace export", gotSum, sum)
	}
	w := timeline.NewChrome(&chrome)
	if err := w.Whole(trace); err != nil {
		t.Fatal(err)
	}
	again = lanes(t, chrome.Bytes())
	union, total = covered(again, everything)
	check("busy of the timeline", union, busy)
	check("sum of the timeline", total, sum)
	for _, c := range s.GPU.Channels {
		union, sum := covered(again, func(r workRow) bool { return r.channel == c.Name })
		check("busy of the lanes of channel "+c.Name, union, int64(c.Own.BusyNS))
		check("sum of the lanes of channel "+c.Name, sum, int64(c.Own.SumNS))
	}
}

func claimed(t *testing.T, document []byte, expr string, want claims.Status) {
	t.Helper()
	file, err := claims.ParseFile("claims.json",
		[]byte(fmt.Sprintf(`{"schema": "mtrace.claims/1", "name": "busy", "claims": [{"id": "busy", "title": "busy", `+
			`"expr": %q}]}`, expr)), nil)
	if err != nil {
		t.Fatal(err)
	}
	checked, err := file.Check(document, "report")
	if err != nil {
		t.Fatal(err)
	}
	if got := checked.Results[0].Status; got != want {
		t.Errorf("the claim %s: %s, want %s", expr, got, want)
	}
}

// lanes are the slices of the GPU's tracks in a timeline, with the channel that their track is named after.
func lanes(t *testing.T, chrome []byte) (rows []workRow) {
	t.Helper()
	var file struct {
		TraceEvents []struct {
			Ph, Name, Cat string
			Pid, Tid      int64
			Ts, Dur       float64
			Args          struct{ Name string }
		}
	}
	if err := json.Unmarshal(chrome, &file); err != nil {
		t.Fatal(err)
	}
	type place struct{ pid, tid int64 }
	names := map[place]string{}
	for _, e := range file.TraceEvents {
		switch at := (place{e.Pid, e.Tid}); {
		case e.Name == "thread_name":
			names[at] = e.Args.Name
		case e.Ph == "X" && e.Cat == "gpu":
			begin := int64(math.Round(e.Ts * 1000))
			channel := names[at][strings.LastIndex(names[at], ", ")+2:]
			rows = append(rows, workRow{begin: begin, end: begin + int64(math.Round(e.Dur*1000)), channel: channel})
		}
	}
	return rows
}
