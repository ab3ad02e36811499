package summary

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mtrace/analyze/xctrace"
	"mtrace/fixtures/xctrace/export"
)

var update = flag.Bool("update", false, "write the goldens anew")

// exported writes a recording's tables as files; without names, all of them and
// the table of contents.
func exported(t testing.TB, r *export.Recording, tables ...string) []xctrace.Input {
	t.Helper()
	dir := t.TempDir()
	if err := r.WriteFolder(dir, tables...); err != nil {
		t.Fatal(err)
	}
	inputs, _, err := xctrace.Inputs([]string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return inputs
}

func load(t testing.TB, inputs []xctrace.Input) *xctrace.Recording {
	t.Helper()
	r, err := xctrace.Load(inputs, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func of(t testing.TB, r *xctrace.Recording, f Filter) *Summary {
	t.Helper()
	s, err := Of(r, f)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// truth is computed from the simulation by methods that share nothing with the
// summary: nanoseconds are marked in an array of ticks.
type truth struct {
	submissions  map[uint64]int // by tid, of the target
	encode       uint64
	gpuSum       map[string]uint64 // by process
	busy, twice  uint64            // nanoseconds with one or more, two or more at once
	own          uint64
	startLatency []uint64
	encoders     int
	from, to     uint64
	inFlight     int // most at once, of the target
}

func truthOf(r *export.Recording) truth {
	tr := truth{submissions: map[uint64]int{}, gpuSum: map[string]uint64{}, from: 1 << 62}
	depth := make([]uint8, r.Duration+2_000_000)
	ownDepth := make([]bool, len(depth))
	flying := map[uint64]int{} // change of the command buffers in flight, by time
	for _, b := range r.Buffers {
		own := r.Processes[b.Process].PID == r.Target.PID
		first := uint64(1 << 62)
		for _, e := range b.Encoders {
			if own {
				tr.encoders++
				tr.encode += e.End - e.Begin
				tr.from, tr.to = min(tr.from, b.Created), max(tr.to, e.End)
			}
			for _, s := range e.Stages {
				name := r.Processes[b.Process].Name
				if s.Unattributed {
					name = ""
				}
				tr.gpuSum[name] += s.Duration
				first = min(first, s.Start)
				for i := s.Start; i < s.Start+s.Duration; i++ {
					depth[i]++
					ownDepth[i] = ownDepth[i] || own
				}
				if own {
					tr.to = max(tr.to, s.Start+s.Duration)
				}
			}
		}
		if own {
			tr.submissions[b.Thread.TID]++
			tr.startLatency = append(tr.startLatency, first-b.Committed)
			flying[b.Committed]++
			flying[b.Completed]--
		}
	}
	for i := tr.from; i < tr.to; i++ {
		if depth[i] > 0 {
			tr.busy++
		}
		if depth[i] > 1 {
			tr.twice++
		}
		if ownDepth[i] {
			tr.own++
		}
	}
	var times []uint64
	for at := range flying {
		times = append(times, at)
	}
	slices.Sort(times)
	now := 0
	for _, at := range times {
		now += flying[at]
		tr.inFlight = max(tr.inFlight, now)
	}
	return tr
}

// Every figure of a summary is compared with the simulation's truth.
func TestSummaryIsTheTruth(t *testing.T) {
	for name, c := range map[string]export.Config{
		"one thread, waiting": {Seed: 1, CommandBuffers: 300, Wait: true, Compositor: true},
		"four threads": {Seed: 2, CommandBuffers: 1200, Threads: 4, Encoders: 2, Compositor: true, Unattributed: 3,
			Labels: 5},
		"eight, waiting": {Seed: 3, CommandBuffers: 900, Threads: 8, Wait: true, Compositor: true, GPUNanos: 40_000},
	} {
		t.Run(name, func(t *testing.T) {
			simulated := export.Record(c)
			want := truthOf(simulated)
			s := of(t, load(t, exported(t, simulated)), Filter{})
			check := func(what string, got, want any) {
				t.Helper()
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s: %v, the truth is %v", what, got, want)
				}
			}
			check("window", fmt.Sprint(int64(s.Window.FromNS), int64(s.Window.ToNS)), fmt.Sprint(want.from, want.to))
			total := 0
			for _, th := range s.Threads {
				check(fmt.Sprintf("submissions of %x", th.TID), th.Submissions, want.submissions[th.TID])
				total += th.Submissions
			}
			check("threads", len(s.Threads), len(want.submissions))
			check("submissions", total, c.CommandBuffers)
			check("target first", s.Processes[0].Name, simulated.Target.Name)
			check("submissions of the process", s.Processes[0].Submissions, c.CommandBuffers)
			check("encode time", int64(s.Processes[0].EncodeNS), want.encode)
			check("GPU sum of the target", int64(s.GPU.Own.SumNS), want.gpuSum[simulated.Target.Name])
			check("GPU busy", int64(s.GPU.All.BusyNS), want.busy)
			check("GPU busy with its own", int64(s.GPU.Own.BusyNS), want.own)
			check("two at once", int64(s.GPU.All.OverlapNS), want.twice)
			check("idle", int64(s.GPU.Idle.TotalNS), want.to-want.from-want.busy)
			check("encoders", s.GPU.Encoders, want.encoders)
			check("command buffers", s.GPU.CommandBuffers, c.CommandBuffers)
			slices.Sort(want.startLatency)
			check("start latencies", s.Latency.CommitToGPU.Count, len(want.startLatency))
			check("median start latency", int64(s.Latency.CommitToGPU.P50NS), want.startLatency[(len(want.startLatency)+1)/2-1])
			check("largest start latency", int64(s.Latency.CommitToGPU.MaxNS), want.startLatency[len(want.startLatency)-1])
			check("completion latency", int64(s.Latency.GPUToCompletion.MinNS), 125000)
			check("violations", s.Latency.StartLatencyChecked.Violations, 0)
			check("most in flight", s.InFlight.Max, want.inFlight)
			shares := s.GPU.OwnShare + s.GPU.OtherProcessShare + s.GPU.UnattributedShare
			if shares < 0.9999 || shares > 1.0001 {
				t.Errorf("the shares add up to %v", shares)
			}
			var states float64
			for _, st := range s.States {
				states += st.Share
			}
			if len(s.States) == 0 || states < 0.9999 || states > 1.0001 {
				t.Errorf("performance states %+v", s.States)
			}
			if c.Labels > 0 {
				check("labels", len(s.Labels), c.Labels*c.Encoders)
			}
			check("memory", s.Memory.PeakBytes, 4<<20)
		})
	}
}

// Nothing promises that rows are sorted; a summary does not depend on it.
func TestTrap30UnsortedRows(t *testing.T) {
	r := load(t, exported(t, export.Record(export.Config{Seed: 4, CommandBuffers: 400, Threads: 3, Compositor: true})))
	want := mustJSON(t, of(t, r, Filter{}))
	random := rand.New(rand.NewPCG(1, 1))
	random.Shuffle(len(r.GPU.Intervals), func(i, j int) {
		r.GPU.Intervals[i], r.GPU.Intervals[j] = r.GPU.Intervals[j],
			r.GPU.Intervals[i]
	})
	random.Shuffle(len(r.Commands.Submissions), func(i, j int) {
		r.Commands.Submissions[i], r.Commands.Submissions[j] = r.Commands.Submissions[j],
			r.Commands.Submissions[i]
	})
	random.Shuffle(len(r.Commands.Completions), func(i, j int) {
		r.Commands.Completions[i], r.Commands.Completions[j] = r.Commands.Completions[j],
			r.Commands.Completions[i]
	})
	if got := mustJSON(t, of(t, r, Filter{})); got != want {
		t.Error("the summary of the same rows in another order differs")
	}
}

func mustJSON(t *testing.T, s *Summary) string {
	t.Helper()
	data, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Ranges of time that follow each other add up to the whole.
func TestTimeRangesAddUp(t *testing.T) {
	r := load(t, exported(t, export.Record(export.Config{Seed: 5, CommandBuffers: 500, Threads: 2, Compositor: true})))
	whole := of(t, r, Filter{})
	cut1 := r.Commands.Submissions[150].Start +
		r.Commands.Submissions[150].Duration // at a commit: it is in the second part
	cut2 := cut1 + whole.Window.LengthNS/3
	var busy, sum Nanos
	submissions := 0
	for _, f := range []Filter{{From: 0, To: cut1}, {From: cut1, To: cut2}, {From: cut2}} {
		s := of(t, r, f)
		busy += s.GPU.Own.BusyNS
		sum += s.GPU.Own.SumNS
		submissions += s.Processes[0].Submissions
	}
	if busy != whole.GPU.Own.BusyNS || sum != whole.GPU.Own.SumNS || submissions != whole.Processes[0].Submissions {
		t.Errorf("parts: busy %d, sum %d, %d submissions; whole: %d, %d, %d", busy, sum, submissions, whole.GPU.Own.BusyNS,
			whole.GPU.Own.SumNS, whole.Processes[0].Submissions)
	}
}

func TestFilters(t *testing.T) {
	simulated := export.Record(export.Config{Seed: 6, CommandBuffers: 300, Compositor: true})
	r := load(t, exported(t, simulated))
	for _, c := range []struct {
		f    Filter
		pids string
		why  string
	}{
		{Filter{}, "[5265]", "the target of the recording"},
		{Filter{All: true}, "[]", "every process, as requested"},
		{Filter{PIDs: []uint64{476}}, "[476]", "asked for"},
		{Filter{Process: "WindowServer"}, "[476]", "asked for"},
		{Filter{Process: "Window"}, "[476]", "asked for"},
		{Filter{Process: "work", PIDs: []uint64{476}}, "[476 5265]", "asked for"},
	} {
		s := of(t, r, c.f)
		if fmt.Sprint(s.Subject.PIDs) != c.pids || s.Subject.Why != c.why {
			t.Errorf("%+v: subject %+v", c.f, s.Subject)
		}
		if s.GPU.Own.Intervals == 0 {
			t.Errorf("%+v: no GPU intervals", c.f)
		}
	}
	for _, c := range []struct {
		f    Filter
		want string
	}{
		{Filter{PIDs: []uint64{7}},
			"no row belongs to a process with pid 7; the processes with rows are WindowServer (476), workload (5265)"},
		{Filter{Process: "chrome"}, `no row belongs to a process named "chrome"`},
		{Filter{From: 5, To: 4}, "it must end after its begin"},
	} {
		if _, err := Of(r, c.f); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.f, err, c.want)
		}
	}
	if s := of(t, load(t, exported(t, simulated, "metal-gpu-intervals")), Filter{}); !strings.Contains(s.Subject.Why,
		"without a table of contents") {
		t.Errorf("without a TOC: %+v", s.Subject)
	}
}

// TestEncodersByProcess: a summary of all processes names the process of an encoder's label: the same label is not the
// same work. The story: it did so only for the GPU's labels.
func TestEncodersByProcess(t *testing.T) {
	r := load(t, exported(t, export.Record(export.Config{Seed: 6, CommandBuffers: 300, Compositor: true})))
	one, all := of(t, r, Filter{}), of(t, r, Filter{All: true})
	counts := map[string]int64{}
	for _, l := range all.Encoders {
		if l.Process == "" {
			t.Fatalf("%+v has no process", l)
		}
		counts[l.Process] += int64(l.Count)
	}
	own := int64(0)
	for _, l := range one.Encoders {
		if own += int64(l.Count); l.Process != "" {
			t.Errorf("%+v of one process names it", l)
		}
	}
	if own == 0 || counts["workload (5265)"] != own {
		t.Errorf("%d encoders of the target, of all by process: %v", own, counts)
	}
}

// The text of a summary, for one recording.
func TestTextGolden(t *testing.T) {
	r := load(t, exported(t, export.Record(export.Config{Seed: 7, CommandBuffers: 400, Threads: 3, Wait: true,
		Compositor: true, Labels: 2})))
	for _, d := range r.Documents {
		d.Name = filepath.Base(d.Name)
	}
	golden(t, "text.txt", of(t, r, Filter{}))
}

func golden(t *testing.T, name string, s *Summary) {
	t.Helper()
	var b bytes.Buffer
	if err := s.Text(&b); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err, " (go test -update makes it)")
	}
	if b.String() != string(want) {
		t.Errorf("differs from %s (go test -update, then git diff):\n%s", path, b.String())
	}
}
