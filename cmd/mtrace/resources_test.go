package main

import (
	"fmt"
	"hash/fnv"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mtrace/analyze"
	"mtrace/fixtures/softmetal/truth"
)

// runClientWithTruth is runClient with the software Metal's own account of the run.
func runClientWithTruth(t *testing.T, check string, document any, env ...string) (*analyze.Trace, *truth.File) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "truth")
	_, trace := runClient(t, check, document, append(env, "SOFTMETAL_TRUTH="+path)...)
	file, err := truth.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return trace, file
}

// Views of textures, and textures and tensors in buffers, once would have doubled the memory that they share. They are
// in the trace with their sizes, as parts of the object they are made from, and only the device's own allocations count
// for the peak. The sums equal the truth.
func TestMemoryOfAnother(t *testing.T) {
	t.Parallel()
	var d struct {
		Memory struct {
			Allocations, Releases int
			Bytes                 uint64
			PeakBytes             uint64 `json:"peak_bytes"`
		}
		Calls []struct {
			Selector string
			Count    int
		}
	}
	trace, file := runClientWithTruth(t, "memory-views", &d)
	type object struct {
		class string
		size  uint64
		own   bool // a device's, and not inside another's memory
	}
	var want []object
	device := truth.ObjectID(0)
	for _, o := range file.Objects {
		if strings.HasSuffix(o.Class, "Device") {
			device = o.ID
		}
	}
	for _, o := range file.Objects {
		for _, part := range []string{"SMG1Buffer", "_MTLTexture", "_MTLTensor", "_MTLHeap", "_MTLAccelerationStructure"} {
			if o.Class == part {
				want = append(want, object{o.Class, o.Size, o.Parent == device})
			}
		}
	}
	if len(want) != 9 || len(trace.Memory.Allocations) != len(want) {
		t.Fatalf("%d allocations in the trace, %d in truth: %v", len(trace.Memory.Allocations), len(want), want)
	}
	var sum, own uint64
	for i, w := range want {
		a := trace.Memory.Allocations[i]
		if a.Bytes != w.size || a.OnHeap == w.own || a.Released <= a.At {
			t.Errorf("%s: %d bytes, inside another's %v, released %v; truth %+v", a.Selector, a.Bytes, a.OnHeap,
				a.Released > a.At, w)
		}
		sum += w.size
		if w.own {
			own += w.size
		}
	}
	m := d.Memory
	if m.Allocations != len(want) || m.Releases != len(want) || m.Bytes != sum || m.PeakBytes != own {
		t.Errorf("the report says %+v; truth has %d with %d bytes, %d of the device's own", m, len(want), sum, own)
	}
	counts := map[string]int{}
	for _, c := range d.Calls {
		counts[c.Selector] += c.Count
	}
	if counts["setPurgeableState:"] != 2 {
		t.Errorf("setPurgeableState: was sent %d times, not 2", counts["setPurgeableState:"])
	}
}

// The trace has libraries by the hash of their source, with its size, and pipelines and archives, each with its time
// and whether it failed. The report's sums equal the truth, call by call. Writing an archive to a file is no
// compilation.
func TestCompilationsAreTheTruth(t *testing.T) {
	const source = "kernel void one(device int *x) { x[0] = 1; }"
	var d struct {
		Compile struct {
			Libraries, Functions, Pipelines, Archives, Repeated, Failed int
			TotalNS                                                     int64 `json:"total_ns"`
			Items                                                       []struct {
				Kind, Name  string
				Count       int
				SourceBytes int64 `json:"source_bytes"`
			}
		}
	}
	trace, file := runClientWithTruth(t, "programs", &d, "SOFTMETAL_COMPILE_US=3000")
	kinds := map[string]string{"newLibraryWithSource:options:error:": "library", "newFunctionWithName:": "function",
		"newComputePipelineStateWithFunction:error:":       "pipeline",
		"newBinaryArchiveWithDescriptor:error:":            "archive",
		"addComputePipelineFunctionsWithDescriptor:error:": "archive"}
	var calls []truth.Call
	count, failed, total := map[string]int{}, 0, int64(0)
	for _, c := range file.Calls {
		if kind := kinds[c.Selector]; c.Depth == 0 && kind != "" {
			calls = append(calls, c)
			count[kind]++
			if c.Result == 0 {
				failed++
			}
		}
	}
	if len(trace.Compilations) != len(calls) {
		t.Fatalf("%d compilations in the trace, %d in truth", len(trace.Compilations), len(calls))
	}
	// the tolerance between two clocks, and the limit for a tracer on a machine that stands still
	const slack, slow = 100 * time.Microsecond, time.Minute
	for i, c := range calls {
		got := &trace.Compilations[i]
		total += int64(got.Length())
		early, late := time.Duration(int64(c.Begin)-int64(got.Begin)), time.Duration(int64(got.End)-int64(c.End))
		if got.Selector != c.Selector || got.Kind != kinds[c.Selector] || got.Failed != (c.Result == 0) || early < -slack ||
			late < -slack || early > slow || late > slow {
			t.Errorf("%+v, from %v before to %v after the call; truth %+v", got, early, late, c)
		}
	}
	u := d.Compile
	if u.Libraries != count["library"] || u.Functions != count["function"] || u.Pipelines != count["pipeline"] ||
		u.Archives != count["archive"] || u.Failed != failed || u.TotalNS != total {
		t.Errorf("the report says %+v; truth has %v, %d failed; the calls took %d ns", u, count, failed, total)
	}
	hash := fnv.New64a()
	hash.Write([]byte(source))
	found := false
	for _, item := range u.Items {
		if item.Kind == "library" && item.Name == fmt.Sprintf("%016x", hash.Sum64()) {
			found = item.Count == 2 && item.SourceBytes == int64(len(source))
		}
	}
	if !found || u.Repeated != 2 { // the source, and the pipeline of its function
		t.Errorf("the library %016x of %d bytes, made twice, is not among %+v; %d repeated", hash.Sum64(), len(source),
			u.Items, u.Repeated)
	}
}
