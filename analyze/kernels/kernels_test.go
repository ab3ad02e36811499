package kernels

import (
	"fmt"
	"strings"
	"testing"

	"mtrace/analyze"
)

func pipeline(name string) *analyze.Pipeline { return &analyze.Pipeline{Kernel: name} }

func dispatched(kernel string, count int, threads uint64) analyze.Dispatch {
	return analyze.Dispatch{Pipeline: pipeline(kernel), Count: count, Threads: threads}
}

var window = analyze.Interval{Begin: 0, End: 1 << 40}

// TestSplit: the GPU's time is divided among kernels, exactly, and is called measured only if it is. If nothing
// separates two kernels, each gets the middle of its possible range, whatever its thread counts.
func TestSplit(t *testing.T) {
	gpu := analyze.Interval{Begin: 1000, End: 2001}
	for _, c := range []struct {
		name     string
		encoders []analyze.Encoder
		kernels  []string
		times    []analyze.Nanos
		measured []bool
	}{
		{"one kernel", []analyze.Encoder{{Dispatches: []analyze.Dispatch{dispatched("a", 3, 300)}}}, []string{"a"},
			[]analyze.Nanos{1001}, []bool{true}},
		{"two in one encoder", []analyze.Encoder{{Dispatches: []analyze.Dispatch{dispatched("a", 1, 100),
			dispatched("b", 1, 300)}}},
			[]string{"a", "b"}, []analyze.Nanos{500, 501}, []bool{false, false}},
		{"sampled encoders", []analyze.Encoder{
			{GPU: analyze.Interval{Begin: 1000, End: 1100}, Dispatches: []analyze.Dispatch{dispatched("a", 1, 900)}},
			{GPU: analyze.Interval{Begin: 1100, End: 1400}, Dispatches: []analyze.Dispatch{dispatched("b", 1, 100)}}},
			[]string{"a", "b"}, []analyze.Nanos{100, 300}, []bool{true, true}},
		{"two in a sampled encoder", []analyze.Encoder{
			{GPU: analyze.Interval{Begin: 1000, End: 1400}, Dispatches: []analyze.Dispatch{dispatched("a", 1, 100),
				dispatched("b", 1, 300)}},
			{GPU: analyze.Interval{Begin: 1400, End: 2001}, Dispatches: []analyze.Dispatch{dispatched("b", 1, 1)}}},
			[]string{"a", "b", "b"}, []analyze.Nanos{200, 200, 601}, []bool{false, false, true}},
		{"one of two sampled", []analyze.Encoder{
			{GPU: analyze.Interval{Begin: 1000, End: 1100}, Dispatches: []analyze.Dispatch{dispatched("a", 1, 900)}},
			{Dispatches: []analyze.Dispatch{dispatched("b", 1, 100)}}},
			[]string{"a", "b"}, []analyze.Nanos{100, 901}, []bool{true, false}},
		{"sampled encoders at the same time", []analyze.Encoder{
			{GPU: analyze.Interval{Begin: 1000, End: 2001}, Dispatches: []analyze.Dispatch{dispatched("a", 1, 1)}},
			{GPU: analyze.Interval{Begin: 1000, End: 2001}, Dispatches: []analyze.Dispatch{dispatched("b", 1, 1)}}},
			[]string{"a", "b"}, []analyze.Nanos{1001, 1001}, []bool{true, true}},
		{"commands of an indirect command buffer, and a dispatch", []analyze.Encoder{{Dispatches: []analyze.Dispatch{
			{Count: 1, Unsized: true, Opaque: true,
				Executes: &analyze.Commands{Runs: []analyze.Dispatch{dispatched("a", 2, 100), dispatched("b", 1, 200)}}},
			dispatched("a", 1, 100)}}},
			[]string{"a", "b", "a"}, []analyze.Nanos{333, 501, 167}, []bool{false, false, false}},
		{"one kernel in an indirect command buffer", []analyze.Encoder{{Empty: 1, Dispatches: []analyze.Dispatch{
			{Count: 1, Unsized: true, Opaque: true,
				Executes: &analyze.Commands{Runs: []analyze.Dispatch{dispatched("a", 2, 100)}}}}}},
			[]string{"a"}, []analyze.Nanos{1001}, []bool{true}},
		{"commands that are not known", []analyze.Encoder{{Dispatches: []analyze.Dispatch{{Count: 1, Unsized: true,
			Opaque: true}}}}, []string{Opaque}, []analyze.Nanos{1001}, []bool{true}},
		{"commands that are not known beside those that are", []analyze.Encoder{{Dispatches: []analyze.Dispatch{
			dispatched("a", 2, 3000), {Count: 1, Unsized: true, Opaque: true}}}},
			[]string{"a", Opaque}, []analyze.Nanos{500, 501}, []bool{false, false}},
		{"only commands that run nothing", []analyze.Encoder{{Empty: 3,
			Dispatches: []analyze.Dispatch{{Count: 1, Unsized: true, Opaque: true, Executes: &analyze.Commands{}}}}},
			[]string{Nothing}, []analyze.Nanos{1001}, []bool{true}},
		{"a copy", []analyze.Encoder{{Kind: analyze.EncoderBlit, Copies: 1}}, []string{Copies}, []analyze.Nanos{1001},
			[]bool{true}},
		{"no encoder", nil, []string{Nothing}, []analyze.Nanos{1001}, []bool{true}},
		{"a pipeline that is not known", []analyze.Encoder{{Dispatches: []analyze.Dispatch{{Count: 1, Threads: 5}}}},
			[]string{Unknown}, []analyze.Nanos{1001}, []bool{true}},
	} {
		shares := split(&analyze.CommandBuffer{GPU: gpu, Encoders: c.encoders}, window)
		if len(shares) != len(c.kernels) {
			t.Errorf("%s: %+v", c.name, shares)
			continue
		}
		for i, s := range shares {
			if s.Kernel != c.kernels[i] || s.GPU != c.times[i] || s.Measured() != c.measured[i] {
				t.Errorf("%s: %s %d measured %v, want %s %d measured %v", c.name, s.Kernel, s.GPU, s.Measured(), c.kernels[i],
					c.times[i], c.measured[i])
			}
		}
	}
	if s := split(&analyze.CommandBuffer{}, window); s != nil {
		t.Errorf("without GPU times: %+v", s)
	}
	if s := split(&analyze.CommandBuffer{GPU: gpu}, analyze.Interval{Begin: 1500, End: 1600}); s[0].GPU != 100 {
		t.Errorf("in a window: %+v", s)
	}
}

// TestFailedCommandBuffers: every second command buffer fails, after four times the kernel's usual time. The failed
// ones are a row of their own, so that the kernel's mean is what a completed command buffer takes.
func TestFailedCommandBuffers(t *testing.T) {
	trace := &analyze.Trace{TimeRange: window}
	for i := range 20 {
		b := analyze.CommandBuffer{Status: analyze.StatusCompleted,
			Encoders: []analyze.Encoder{{Dispatches: []analyze.Dispatch{dispatched("step", 1, 64)}}}}
		b.GPU.Begin = analyze.Nanos(1000 * (i + 1))
		b.GPU.End = b.GPU.Begin + 100
		if i%2 == 1 {
			b.Status, b.GPU.End = analyze.StatusError, b.GPU.Begin+400
		}
		trace.Add(b)
	}
	of := map[string]*Kernel{}
	for _, k := range Summarize(trace) {
		of[k.Name] = k
	}
	step, failed := of["step"], of[Failed]
	if step == nil || step.GPU != 10*100 || step.Dispatches != 10 || step.Buffers != 10 {
		t.Errorf("the kernel: %+v", step)
	}
	if failed == nil || failed.GPU != 10*400 || failed.Buffers != 10 || failed.Dispatches != 0 ||
		failed.Low != failed.GPU {
		t.Errorf("the failed command buffers: %+v", failed)
	}
}

// TestFusions: pairs that always come together are candidates, across command buffers too; pairs that do not are none.
func TestFusions(t *testing.T) {
	thread := &analyze.Thread{ID: 1}
	trace := &analyze.Trace{TimeRange: window}
	add, relu, other := pipeline("add"), pipeline("relu"), pipeline("other")
	at := analyze.Nanos(1000)
	buffer := func(ps ...*analyze.Pipeline) {
		b := analyze.CommandBuffer{GPU: analyze.Interval{Begin: at, End: at + 20_000}}
		e := analyze.Encoder{Created: analyze.Call{Thread: thread}}
		for _, p := range ps {
			e.Dispatches = append(e.Dispatches, analyze.Dispatch{Pipeline: p, Count: 1, Threads: 64})
		}
		b.Encoders = []analyze.Encoder{e}
		trace.Add(b)
		at += 30_000
	}
	for i := range 30 {
		buffer(add)
		buffer(relu)
		if i%2 == 0 {
			buffer(other)
		}
	}
	found := Fusions(trace, Summarize(trace), LaunchCosts{Launch: 5000, Dispatch: 100})
	if len(found) != 2 {
		t.Fatalf("%+v", found)
	}
	f := found[0]
	if strings.Join(f.Kernels, "+") != "add+relu" || f.Count != 30 || f.Across != 30 || f.Saved != 150_000+30*100 ||
		f.Share != 1 {
		t.Errorf("%+v", f)
	}
	if strings.Join(found[1].Kernels, "+") != "other+add" { // relu is followed by other in half of the cases only
		t.Errorf("%+v", found[1])
	}
}

// TestChains: consecutive kernels are one candidate for fusion, also if the sequence begins again at once. A kernel
// with far fewer threads than the one before gathers its results, as the second stage of a reduction, and cannot be a
// part of it.
func TestChains(t *testing.T) {
	thread := &analyze.Thread{ID: 1}
	for _, c := range []struct {
		name    string
		threads [3]uint64
		want    string
	}{
		{"equal", [3]uint64{4096, 4096, 4096}, "[[mul add relu]]"},
		{"a second stage", [3]uint64{4096, 256, 256}, "[[add relu mul]]"}, // the next row may follow the one before
		{"nothing but stages", [3]uint64{65536, 256, 1}, "[]"},
	} {
		trace := &analyze.Trace{TimeRange: window}
		for i := range analyze.Nanos(20) {
			e := analyze.Encoder{Created: analyze.Call{Thread: thread}}
			for k, name := range []string{"mul", "add", "relu"} {
				e.Dispatches = append(e.Dispatches, analyze.Dispatch{Pipeline: pipeline(name), Count: 1, Threads: c.threads[k]})
			}
			trace.Add(analyze.CommandBuffer{GPU: analyze.Interval{Begin: 1000 * (i + 1), End: 1000*(i+1) + 500},
				Encoders: []analyze.Encoder{e}})
		}
		var got [][]string
		for _, f := range Fusions(trace, Summarize(trace), LaunchCosts{Launch: 5000, Dispatch: 100}) {
			got = append(got, f.Kernels)
		}
		if s := fmt.Sprint(got); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
}

// split splits a command buffer that is all of its run.
func split(b *analyze.CommandBuffer, window analyze.Interval) []Share {
	t := &analyze.Trace{TimeRange: window}
	t.Add(*b)
	return Split(b, window, CostsOf(t))
}
