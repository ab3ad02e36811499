package timeline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mtrace/analyze"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/fixtures/consumers"
	"mtrace/fixtures/tracesim"
	"mtrace/fixtures/tracetest"
)

func write(t testing.TB, path string, open func(*bytes.Buffer) *Writer) ([]byte, *analyze.Trace) {
	t.Helper()
	var b bytes.Buffer
	w := open(&b)
	trace, err := analyze.Load(path, analyze.Options{Visit: w.Call})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Whole(trace); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), trace
}

func perfettoOf(b *bytes.Buffer) *Writer { return NewPerfetto(b) }
func chromeOf(b *bytes.Buffer) *Writer   { return NewChrome(b) }

// calls are the calls of a trace by their own account, as a viewer should show them.
func calls(t testing.TB, path string) []string {
	var list []string
	_, err := analyze.Load(path, analyze.Options{Visit: func(c *analyze.VisitedCall) {
		list = append(list, fmt.Sprintf("%d/%s %s %d-%d", c.Thread.Process.ID, c.Thread.Name, c.Row.Selector, c.Begin, c.End))
	}})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

func TestPerfettoShowsEveryCall(t *testing.T) {
	path := tracetest.Small(t)
	data, _ := write(t, path, perfettoOf)
	got, counts := replay(t, data)
	var onThreads []string
	for _, s := range got {
		if s.category != "gpu" && !strings.Contains(s.track, "scopes of ") {
			onThreads = append(onThreads, fmt.Sprintf("%s %s %d-%d", s.track, s.name, s.begin, s.end))
		}
	}
	slices.Sort(onThreads)
	if want := calls(t, path); !slices.Equal(onThreads, want) {
		t.Errorf("shown:\n%s\nin the trace:\n%s", strings.Join(onThreads, "\n"), strings.Join(want, "\n"))
	}
	level := map[string]int64{}
	for _, c := range counts {
		if c.value < 0 {
			t.Errorf("%+v", c)
		}
		level[c.track] = c.value
	}
	if level["100/in flight, queue work"] != 0 || level["200/in flight, queue other"] != 0 ||
		level["100/allocated"] != 1<<20 || len(level) != 3 {
		t.Errorf("counters end at %v", level)
	}
}

// With stacks, calls and command buffers name the function of the program that they come from.
func TestCallSites(t *testing.T) {
	var path string
	for _, s := range tracesim.Scenarios {
		if s.Name == "device-wide sync" {
			sim := s.Build(1)
			sim.BeforeWrite = tracesim.PythonProgram
			path = sim.Run(t)
		}
	}
	data, _ := write(t, path, perfettoOf)
	got, _ := replay(t, data)
	found := map[string]int{}
	for _, s := range got {
		for _, want := range []string{"called from=train.py:17 synchronize()", "called from=train.py:42 step()",
			"committed from=train.py:42 step()"} {
			if strings.Contains(s.args, want) {
				found[s.name+" "+want]++
			}
		}
	}
	if found["waitUntilCompleted called from=train.py:17 synchronize()"] == 0 ||
		found["commit called from=train.py:42 step()"] != 480 {
		t.Errorf("calls came from %v", found)
	}
	if n := found["step, more committed from=train.py:42 step()"]; n != 480 {
		t.Errorf("%d command buffers of 480 say where they were committed: %v", n, found)
	}
}

// Two calls that begin at the same time must keep their nesting, whatever comes first in the file: the inner call ends
// first, so it is written first, and a viewer that reads its begin first would show it around the other.
func TestInnerCallsAreInside(t *testing.T) {
	data, _ := write(t, tracetest.Small(t), perfettoOf)
	got, _ := replay(t, data)
	found := 0
	for _, s := range got {
		if s.args != "" && strings.Contains(s.args, "encoder=") && s.depth == 0 && s.end-s.begin == 700 {
			found++
		}
		if s.depth == 1 && s.name != "newComputePipelineStateWithFunction:error:" {
			t.Errorf("%s is shown inside another call", s.name)
		}
		if s.depth == 1 {
			found++
		}
	}
	if found != 2 {
		t.Error("the nested pair is not shown as one inside the other")
	}
}

// In Chrome's format, whose readers join the first beginning with the first end that they find, every arrow has one of
// each. A command buffer had one beginning, and as many ends as threads waited for it; without a waiting thread it had
// no end.
func TestChromeArrowsAreWhole(t *testing.T) {
	for name, path := range map[string]string{"small": tracetest.Small(t),
		"recorded": "../../fixtures/traces/device-sync.mtrace"} {
		data, trace := write(t, path, chromeOf)
		stops := map[string][]string{}
		for _, e := range readChrome(t, data) {
			if e.Ph == "s" || e.Ph == "f" || e.Ph == "t" {
				stops[e.ID] = append(stops[e.ID], fmt.Sprintf("%s %d", e.Ph, nanos(t, e.Ts)))
			}
		}
		for id, of := range stops {
			var begin, end int64
			if len(of) != 2 || !strings.HasPrefix(of[0], "s ") || !strings.HasPrefix(of[1], "f ") {
				t.Fatalf("%s: arrow %s has %q", name, id, of)
			}
			fmt.Sscan(of[0][2:], &begin)
			fmt.Sscan(of[1][2:], &end)
			if begin > end {
				t.Errorf("%s: arrow %s goes back, from %d to %d", name, id, begin, end)
			}
		}
		want := 0
		for b := range trace.Buffers() {
			if b.GPU.Known() && b.Committed.Known() {
				want++
			}
		}
		for i := range trace.Waits {
			if w := &trace.Waits[i]; w.Buffer != analyze.NoCommandBuffer && trace.WaitsFor(w).Committed.Known() &&
				!w.Unfinished {
				want++
			}
		}
		if len(stops) != want || want == 0 {
			t.Errorf("%s: %d arrows, want %d", name, len(stops), want)
		}
	}
}

// The arrow of a command buffer leads from its commit over the GPU to the return of the wait, in that order.
func TestArrows(t *testing.T) {
	path := tracetest.Small(t)
	data, trace := write(t, path, perfettoOf)
	got, _ := replay(t, data)
	type stop struct {
		at   int64
		what string
	}
	arrows := map[string][]stop{}
	for _, s := range got {
		for _, id := range strings.Fields(s.flows) {
			arrows[id] = append(arrows[id], stop{s.begin, s.category})
		}
		for _, id := range strings.Fields(s.flowsEnd) {
			arrows[id] = append(arrows[id], stop{s.end, "return of " + s.category})
		}
	}
	whole := 0
	for id, stops := range arrows {
		slices.SortFunc(stops, func(a, b stop) int { return int(a.at - b.at) })
		var way []string
		for _, s := range stops {
			way = append(way, s.what)
		}
		switch strings.Join(way, ", ") {
		case "commit, gpu, return of wait":
			whole++
		case "commit": // never completed
		default:
			t.Errorf("arrow %s leads over %q", id, way)
		}
	}
	if whole != 4 || len(arrows) != len(trace.CommandBuffers) {
		t.Errorf("%d arrows, %d of them whole; %d command buffers", len(arrows), whole, len(trace.CommandBuffers))
	}
}

type chromeEvent struct {
	Ph, Name, Cat, ID, Bp string
	Pid, Tid              int64
	Ts, Dur               json.Number
	Args                  map[string]any
}

func readChrome(t testing.TB, data []byte) []chromeEvent {
	t.Helper()
	var doc struct {
		DisplayTimeUnit string
		TraceEvents     []chromeEvent
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return doc.TraceEvents
}

func nanos(t testing.TB, micros json.Number) int64 {
	f, err := micros.Float64()
	if err != nil {
		t.Fatal(err)
	}
	return int64(math.Round(f * 1000))
}

// Chrome's file shows the same slices as Perfetto's: the two writers share no code after the sorter.
func TestChromeShowsTheSame(t *testing.T) {
	path := tracetest.Small(t)
	data, _ := write(t, path, perfettoOf)
	js, _ := write(t, path, chromeOf)
	var want, got []string
	perfetto, _ := replay(t, data)
	for _, s := range perfetto {
		want = append(want, fmt.Sprintf("%s %s %s %d-%d", s.track, s.category, s.name, s.begin, s.end))
	}
	names := map[[2]int64]string{}
	for _, e := range readChrome(t, js) {
		switch e.Ph {
		case "M":
			if e.Name == "thread_name" {
				names[[2]int64{e.Pid, e.Tid}] = e.Args["name"].(string)
			}
		case "X":
			begin := nanos(t, e.Ts)
			got = append(got, fmt.Sprintf("%d/%s %s %s %d-%d", e.Pid, names[[2]int64{e.Pid, e.Tid}], e.Cat, e.Name, begin,
				begin+nanos(t, e.Dur)))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("Chrome:\n%s\nPerfetto:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Work that overlaps on the GPU needs tracks of its own: on one track, slices may nest but not cross.
func TestOverlapOnTheGPU(t *testing.T) {
	path := filepath.Join(t.TempDir(), "overlap.mtrace")
	f := tracetest.Create(t, path)
	p := f.Process(7, "overlap")
	first := p.Thread(8, "a")
	first.NewQueue("q")
	kernel := first.NewPipeline("k")
	second := p.Thread(9, "b")
	second.Now = first.Now + 10_000
	for range 3 {
		first.Run(tracetest.Step{Pipeline: kernel, Encode: 100, Commit: 1000, Delay: 1000, GPU: 50_000, Notify: 1000})
		second.Run(tracetest.Step{Pipeline: kernel, Encode: 100, Commit: 1000, Delay: 1000, GPU: 50_000, Notify: 1000})
	}
	p.End()
	f.Close()
	data, trace := write(t, path, perfettoOf)
	got, _ := replay(t, data)
	var spans []string
	for _, s := range got {
		if s.category == "gpu" {
			spans = append(spans, fmt.Sprint(s.begin, s.end))
			if s.depth != 0 {
				t.Errorf("%+v is shown inside another command buffer", s)
			}
		}
	}
	for b := range trace.Buffers() {
		if !slices.Contains(spans, fmt.Sprint(int64(b.GPU.Begin), int64(b.GPU.End))) {
			t.Errorf("%v is not shown whole", b.GPU)
		}
	}
}

// A call around more calls than are kept must still be shown, although its begin comes after theirs in the file.
func TestCallAroundVeryMany(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep.mtrace")
	f := tracetest.Create(t, path)
	p := f.Process(7, "deep")
	th := p.Thread(8, "a")
	th.NewQueue("q")
	begin := th.Now
	for range 3*most + 5 {
		th.Call(wire.FamilyEncoder, "endEncoding", 1, 0, 10, nil)
	}
	th.Now += 10
	th.Outer(wire.FamilyCommandBuffer, "commit", 5, 0, begin, nil)
	p.End()
	f.Close()
	var b bytes.Buffer
	w := NewChrome(&b)
	trace, err := analyze.Load(path, analyze.Options{Visit: w.Call})
	if err = errors.Join(err, w.Whole(trace)); err != nil {
		t.Fatal(err)
	}
	inner, outer := 0, 0
	for _, e := range readChrome(t, b.Bytes()) {
		switch {
		case e.Ph == "X" && e.Name == "endEncoding":
			inner++
		case e.Ph == "X" && e.Name == "commit" && nanos(t, e.Dur) == th.Now-begin:
			outer++
		}
	}
	if inner != 3*most+5 || outer != 1 {
		t.Errorf("%d inner calls and %d around them", inner, outer)
	}
}

// The program's scopes have tracks of their own, memory has a counter, and an array of command buffers in one commit
// has an arrow for each.
func TestScopesMemoryAndArrays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "extra.mtrace")
	f := tracetest.Create(t, path)
	p := f.Process(7, "extra")
	th := p.Thread(8, "main")
	buffer := th.NewObject()
	th.Call(wire.FamilyDevice, "newBufferWithLength:options:", p.Device, uint64(buffer), 100, &wire.More{X0: 4096})
	th.Mark("warm")
	th.Now += 10
	begin := th.Now
	first, second := th.NewObject(), th.NewObject()
	th.Call(wire.FamilyMtl4Queue, "commit:count:", th.NewObject(), 2, 1000,
		&wire.More{X0: uint64(first) | uint64(second)<<32})
	th.Scope("inner", begin+200)
	th.Scope("outer", begin)
	th.Now += 500
	th.Call(wire.FamilyResource, "dealloc", buffer, 0, 100, nil)
	p.End()
	f.Close()
	data, _ := write(t, path, perfettoOf)
	got, counts := replay(t, data)
	var scopes, arrows []string
	for _, s := range got {
		if s.category == "scope" || s.category == "mark" {
			scopes = append(scopes, fmt.Sprintf("%s %s %s %d %d", s.track, s.category, s.name, s.depth, s.end-s.begin))
		}
		if s.category == "commit" {
			arrows = strings.Fields(s.flows)
		}
	}
	slices.Sort(scopes)
	if want := []string{"7/scopes of main mark warm 0 0", "7/scopes of main scope inner 1 800",
		"7/scopes of main scope outer 0 1000"}; !slices.Equal(scopes, want) {
		t.Errorf("%q, want %q", scopes, want)
	}
	if len(arrows) != 2 || arrows[0] == arrows[1] {
		t.Errorf("two command buffers are committed by one call with the arrows %q", arrows)
	}
	var levels []int64
	for _, c := range counts {
		if c.track == "7/allocated" {
			levels = append(levels, c.value)
		}
	}
	if !slices.Equal(levels, []int64{4096, 0}) {
		t.Errorf("allocated: %v", levels)
	}
	js, _ := write(t, path, chromeOf)
	if !bytes.Contains(js, []byte(`"name":"allocated","args":{"bytes":4096}`)) ||
		!bytes.Contains(js, []byte(`"name":"outer"`)) {
		t.Errorf("%s", js)
	}
}

type full struct{}

var errFull = errors.New("no space left on device")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestFullDisk(t *testing.T) {
	path := tracetest.Small(t)
	for _, w := range []*Writer{NewPerfetto(full{}), NewChrome(full{})} {
		trace, err := analyze.Load(path, analyze.Options{Visit: w.Call})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Whole(trace); !errors.Is(err, errFull) {
			t.Errorf("a full disk ends with %v", err)
		}
	}
}

// An empty trace is an empty timeline, not a broken file.
func TestEmpty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "empty.mtrace")
	tracetest.Create(t, path).Close()
	if js, _ := write(t, path, chromeOf); len(readChrome(t, js)) != 0 {
		t.Errorf("%s", js)
	}
	data, _ := write(t, path, perfettoOf)
	if s, _ := replay(t, data); len(s) != 0 {
		t.Errorf("%v", s)
	}
}

// Labels are the program's: any bytes may be in them.
func TestStrangeLabels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "strange.mtrace")
	f := tracetest.Create(t, path)
	p := f.Process(7, "strange")
	th := p.Thread(8, "bad \xff name")
	th.NewQueue("new\nline \"quoted\" \\ \x01")
	th.Run(tracetest.Step{Pipeline: th.NewPipeline("k"), Label: "caf\xc3\xa9 \xc3(", Encode: 100, Commit: 100, Delay: 100,
		GPU: 100, Notify: 100})
	p.End(tracefile.CurrentCall{})
	f.Close()
	js, _ := write(t, path, chromeOf)
	readChrome(t, js)
	data, _ := write(t, path, perfettoOf)
	replay(t, data)
}

// Perfetto's own definition of its format, in its Python package, must find nothing unknown in our files.
func TestPerfettosOwnDecoder(t *testing.T) {
	const script = `
import sys
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as p
t = p.Trace(); t.ParseFromString(open(sys.argv[1], "rb").read())
known = p.Trace(); known.CopyFrom(t); known.DiscardUnknownFields()
assert known.SerializeToString(deterministic=True) == t.SerializeToString(deterministic=True), "unknown fields"
print(sum(1 for k in t.packet if k.track_event.type == p.TrackEvent.TYPE_SLICE_BEGIN))`
	python := consumers.Python(t, "perfetto.protos.perfetto.trace.perfetto_trace_pb2")
	data, _ := write(t, tracetest.Small(t), perfettoOf)
	path := filepath.Join(t.TempDir(), "small.pftrace")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "-c", script, path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	own, _ := replay(t, data)
	if got := strings.TrimSpace(string(out)); got != fmt.Sprint(len(own)) {
		t.Errorf("Perfetto's decoder finds %s slices, ours %d", got, len(own))
	}
}

func benchmark(b *testing.B, open func(*bytes.Buffer) *Writer) {
	const steps = 20_000
	path := tracetest.Steps(b, steps)
	defer debug.SetGCPercent(debug.SetGCPercent(analyze.GCPercent)) // as the command does
	size := 0
	before := processorTime(b)
	b.ResetTimer()
	for range b.N {
		data, _ := write(b, path, open)
		size = len(data)
	}
	slices := float64(steps * 9) // eight calls and one command buffer on the GPU
	b.ReportMetric(slices*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mslices/s")
	b.ReportMetric(slices*float64(b.N)/(processorTime(b)-before).Seconds()/1e6, "Mslices/cpu-s")
	b.ReportMetric(float64(size)/slices, "B/slice")
}

// processorTime returns the processor time of the process so far. On a machine with other load it is more reliable than
// the clock.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func BenchmarkPerfetto(b *testing.B) { benchmark(b, perfettoOf) }
func BenchmarkChrome(b *testing.B)   { benchmark(b, chromeOf) }

// A source without calls still shows threads: commits, encoders and waits come from the model, with their arrows.
func TestModelWithoutCalls(t *testing.T) {
	trace, err := analyze.Load(tracetest.Small(t), analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := NewPerfetto(&b)
	if err := w.Whole(trace); err != nil {
		t.Fatal(err)
	}
	got, _ := replay(t, b.Bytes())
	count := map[string]int{}
	for _, s := range got {
		count[s.category]++
		if s.flows+s.flowsEnd == "" && s.category != "encode" && s.category != "scope" && s.category != "mark" {
			t.Errorf("%s at %d has no arrow", s.name, s.begin)
		}
	}
	if want := map[string]int{"commit": 5, "wait": len(trace.Waits), "gpu": 4, "encode": 4, "scope": 1,
		"mark": 1}; fmt.Sprint(count) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", count, want)
	}
}

// GPU work has the names that the program gives it: at most a few names, each once.
func TestOperationsAreArguments(t *testing.T) {
	encoder := func(names ...string) (e analyze.Encoder) {
		for _, n := range names {
			e.Dispatches = append(e.Dispatches, analyze.Dispatch{Count: 1, Threads: 64, Names: &analyze.Names{Group: n}})
		}
		return e
	}
	for _, c := range []struct {
		encoders []analyze.Encoder
		want     string
	}{
		{[]analyze.Encoder{encoder("add", "add", ""), encoder("mul")}, `"operations":"add, mul"`},
		{[]analyze.Encoder{encoder("a", "b", "c", "d", "e", "f")}, `"operations":"a, b, c, d, …"`},
		{[]analyze.Encoder{{Label: "copy"}}, `"operations":"copy"`},
	} {
		var out strings.Builder
		b := analyze.CommandBuffer{ID: 1, GPU: analyze.Interval{Begin: 1000, End: 3000}, Encoders: c.encoders}
		if err := NewChrome(&out).Whole(&analyze.Trace{TimeRange: analyze.Interval{Begin: 1, End: 5000},
			CommandBuffers: []analyze.CommandBuffer{b}}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), c.want) {
			t.Errorf("no %s in %s", c.want, out.String())
		}
	}
}
