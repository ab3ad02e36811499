package report

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/profile"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/fixtures/tracesim"
)

// checkWhole runs every analysis on a trace and checks the properties of all traces.
func checkWhole(t *testing.T, trace *analyze.Trace) {
	t.Helper()
	r := Build(trace, Options{})
	for _, th := range r.Threads {
		sum := int64(0)
		for key, n := range th.Time {
			if n < 0 {
				t.Fatalf("thread %d: %s is %d", th.TID, key, n)
			}
			sum += n
		}
		if sum != th.WindowNS {
			t.Fatalf("thread %d: the parts add up to %d, the window is %d", th.TID, sum, th.WindowNS)
		}
	}
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err) // a NaN or an infinity
	}
	var again Report
	if err := json.Unmarshal(b.Bytes(), &again); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteText(&b, Options{Color: true}); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteHTML(&b, Pictures{}); err != nil {
		t.Fatal(err)
	}
	if s := r.GPU.SumNS; s < r.GPU.BusyNS || s < 0 {
		t.Fatalf("GPU busy for %d of %d", r.GPU.BusyNS, s)
	}
	for _, kind := range profile.Types {
		if _, err := profile.Build(kind, trace); err != nil {
			t.Fatal(err)
		}
	}
	a := cause.Analyze(trace, cause.Options{Permutations: 20})
	for i := range trace.Waits {
		var sum analyze.Nanos
		for _, p := range a.Evidence.Work.Split(&trace.Waits[i]) {
			if p.Nanos < 0 {
				t.Fatalf("wait %d: piece %+v", i, p)
			}
			sum += p.Nanos
		}
		if sum != trace.Waits[i].Length() {
			t.Fatalf("wait %d: the pieces add up to %d, it took %d", i, sum, trace.Waits[i].Length())
		}
	}
}

// checkSome checks all of a seed's trace, and one of sixteen inputs when a fuzzer runs, because a check takes a hundred
// times as long as loading a trace. In any case it visits what was loaded.
func checkSome(t *testing.T, trace *analyze.Trace, input []byte) {
	t.Helper()
	if fuzzing() && crc32.ChecksumIEEE(input)%16 != 0 {
		for i := range trace.Waits {
			if w := &trace.Waits[i]; w.End < w.Begin {
				t.Fatalf("wait %d ends %d ns before it begins", i, w.Begin-w.End)
			}
		}
		for _, s := range trace.Calls {
			count := int64(0)
			for _, n := range s.Counts {
				count += n
			}
			if count != s.Count || s.Min < 0 || s.Min > s.Max || s.Total < s.Max || s.Durations.Count() != s.Count {
				t.Fatalf("%s: %d calls of %d to %d ns, %d in all; %d of threads, %d in the histogram", s.Selector, s.Count, s.Min,
					s.Max, s.Total, count, s.Durations.Count())
			}
		}
		return
	}
	checkWhole(t, trace)
}

func fuzzing() bool {
	f := flag.Lookup("test.fuzz")
	return f != nil && f.Value.String() != ""
}

// inMemory loads a trace that is in memory.
func inMemory(data []byte) (*analyze.Trace, error) {
	reader, err := tracefile.NewReader("fuzzed.mtrace", bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	return analyze.NewFile(reader, "fuzzed.mtrace").Load(analyze.Options{})
}

// seedRecords are the records of a simulated program, as bytes.
func seedRecords(t testing.TB) []byte {
	t.Helper()
	s := tracesim.Scenarios[0].Build(1)
	s.Run(t)
	var b []byte
	for _, r := range s.Process().Rings() {
		for _, record := range r.Records {
			if b = wire.AppendRecord(b, record); len(b) > 4000 {
				return b
			}
		}
	}
	return b
}

// FuzzRecords: whatever the records in a trace are, the analysis neither crashes nor makes time up.
func FuzzRecords(f *testing.F) {
	f.Add(seedRecords(f), uint16(0))
	f.Add([]byte{}, uint16(3))
	random := rand.New(rand.NewPCG(5, 6))
	for _, records := range []int{20, 40, 60, 80, 100, 300} {
		f.Add(tracesim.Draw(random, records, nil), uint16(random.Uint32N(1000)))
	}
	f.Fuzz(func(t *testing.T, data []byte, cut uint16) {
		trace, err := inMemory(tracesim.Drawn(data, cut).Bytes(t))
		if err != nil {
			t.Fatal(err)
		}
		checkSome(t, trace, data)
	})
}

// FuzzFile: a damaged file is refused with one line, or read up to the damage.
func FuzzFile(f *testing.F) {
	path := tracesim.Scenarios[1].Build(1).Run(f)
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	for i := range 12 {
		mutated := bytes.Clone(whole)
		random := rand.New(rand.NewPCG(uint64(i), 9))
		for range 1 + i/3 {
			mutated[random.IntN(len(mutated))] ^= byte(1 + random.IntN(255))
		}
		f.Add(mutated[:len(mutated)-i*len(mutated)/20])
	}
	f.Add(binary.LittleEndian.AppendUint64(nil, 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		trace, err := inMemory(data)
		if err != nil {
			if bytes.ContainsRune([]byte(err.Error()), '\n') {
				t.Fatalf("more than one line: %v", err)
			}
			return
		}
		checkSome(t, trace, data)
	})
}
