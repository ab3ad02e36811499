package table

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/fixtures/longtrace"
	"mtrace/fixtures/tracetest"
)

// inSlices are the JSON lines of a trace that was read in slices of so many records, in the order of their text.
func inSlices(t *testing.T, path string, asked analyze.Options, records int64) (lines []string, count int) {
	t.Helper()
	f, err := analyze.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b bytes.Buffer
	w := NewJSONLines(&b)
	asked.Visit = w.Call
	cut, err := f.EachSlice(asked, records, func(s *analyze.Slice, _, of int) error {
		count = of
		return w.Slice(s)
	})
	if err != nil || cut > 0 {
		t.Fatal(err, cut)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return sorted(b.String()), count
}

// asOne are the JSON lines of a trace that was loaded as one.
func asOne(t *testing.T, path string, asked analyze.Options) []string {
	t.Helper()
	var b bytes.Buffer
	w := NewJSONLines(&b)
	asked.Visit = w.Call
	trace, err := analyze.Load(path, asked)
	if err == nil {
		err = w.Whole(trace)
	}
	if err != nil {
		t.Fatal(err)
	}
	return sorted(b.String())
}

func sorted(text string) []string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	slices.Sort(lines)
	return lines
}

// TestInSlices: a trace that does not fit into memory was refused. Now it is written slice by slice, and the tables
// have the same rows as for a trace loaded as a whole: each call, command buffer, wait and allocation once, with all of
// its time, wherever the run was cut.
func TestInSlices(t *testing.T) {
	for _, shape := range longtrace.Shapes {
		path := filepath.Join(t.TempDir(), "long.mtrace")
		if _, err := longtrace.Write(path, shape, 30_000, 7); err != nil {
			t.Fatal(err)
		}
		for _, asked := range []analyze.Options{{}, {From: 40e6, To: 150e6}} {
			whole := asOne(t, path, asked)
			cut, count := inSlices(t, path, asked, 5_000)
			if count < 3 {
				t.Errorf("%s, from %d: only %d slices", shape.Name, asked.From, count)
			}
			compareLines(t, shape.Name, whole, cut)
		}
	}
}

func compareLines(t *testing.T, name string, whole, cut []string) {
	t.Helper()
	lacks, more := 0, 0
	for len(whole) > 0 || len(cut) > 0 {
		switch {
		case len(cut) == 0 || len(whole) > 0 && whole[0] < cut[0]:
			if lacks++; lacks < 5 {
				t.Errorf("%s: slices lack %s", name, whole[0])
			}
			whole = whole[1:]
		case len(whole) == 0 || cut[0] < whole[0]:
			if more++; more < 5 {
				t.Errorf("%s: only slices have %s", name, cut[0])
			}
			cut = cut[1:]
		default:
			whole, cut = whole[1:], cut[1:]
		}
	}
	if lacks+more > 0 {
		t.Errorf("%s: slices lack %d lines and have %d others", name, lacks, more)
	}
}

// long is a run in which a thread makes short work all the time. Meanwhile a command buffer, memory, a scope and waits
// last nearly all of it, and others have no end.
func long(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "long.mtrace")
	f := tracetest.Create(t, path)
	p := f.Process(7, "long")
	busy, slow, stuck := p.Thread(8, "busy"), p.Thread(9, "slow"), p.Thread(10, "stuck")
	busy.NewQueue("q")
	kernel := busy.NewPipeline("k")
	slow.Now, stuck.Now = busy.Now, busy.Now
	kept, lost := slow.NewObject(), slow.NewObject()
	for _, object := range []wire.ObjectID{kept, lost} {
		slow.Call(wire.FamilyDevice, "newBufferWithLength:options:", p.Device, uint64(object), 2_000, &wire.More{X0: 1 << 20})
	}
	hung := stuck.NewObject()
	stuck.Call(wire.FamilyQueue, "commandBuffer", p.Queue, uint64(hung), 500, nil)
	stuck.Opens("endless", 0)
	stuck.Call(wire.FamilyCommandBuffer, "commit", hung, 0, 500, nil)
	stuck.SignalWait("start", 0x100, 8, 100_000_000, 5)
	began := slow.Now
	failed := slow.Run(tracetest.Step{Pipeline: kernel, Encode: 100, Commit: 1000, GPU: 100_000_000, Notify: 1000})
	// its words were left out in slices
	slow.Call(wire.FamilyTracer, "failed", failed, slow.Text("Caused GPU Timeout Error"), 0, nil)
	slow.Call(wire.FamilyResource, "dealloc", kept, 0, 100, nil)
	slow.Scope("all", began)
	for range 2_000 {
		busy.Run(tracetest.Step{Pipeline: kernel, Encode: 100, Commit: 1000, GPU: 50_000, Notify: 1000})
	}
	p.End(tracefile.CurrentCall{Ring: 2, Thread: 10, Call: wire.MustLookup(wire.FamilyCommandBuffer,
		"waitUntilCompleted"), Object: hung, Begin: wire.Ticks(tracetest.Epoch + stuck.Now)})
	f.Close()
	return path
}

// TestLastsManySlices: an event that is longer than a slice, or has no end, is in one slice, with all its facts.
func TestLastsManySlices(t *testing.T) {
	path := long(t)
	cut, count := inSlices(t, path, analyze.Options{}, 2_000)
	if count < 5 {
		t.Errorf("only %d slices", count)
	}
	compareLines(t, "long", asOne(t, path, analyze.Options{}), cut)
}
