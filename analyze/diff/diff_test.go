package diff

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/report"
	"mtrace/collector/wire"
	_ "mtrace/fixtures/testheap"
	"mtrace/fixtures/tracetest"
)

var update = flag.Bool("update", false, "write the golden files")

// A program describes the traces that these tests record: times scatter log-normally, and slow is a factor on them.
type program struct {
	seed    uint64
	steps   int
	commit  float64 // factor on the length of commit
	matmul  float64 // factor on the GPU time of one kernel
	scatter float64 // σ of the times' logarithms
	shift   float64 // σ of a factor on all times of the run
	extra   bool    // a kernel and a call that others do not have
}

// write records a run of the program and returns its path.
func (p program) write(t testing.TB, name string) string {
	path := filepath.Join(t.TempDir(), name+".mtrace")
	random := rand.New(rand.NewPCG(p.seed, 9))
	all := math.Exp(p.shift * random.NormFloat64())
	lasts := func(median, factor float64) int64 {
		return int64(median * factor * all * math.Exp(p.scatter*random.NormFloat64()))
	}
	f := tracetest.Create(t, path)
	pr := f.Process(int(100+p.seed), "/bin/workload")
	var threads []*tracetest.Thread
	for i := range 2 {
		threads = append(threads, pr.Thread(pr.ThreadCount()+p.seed*100, fmt.Sprintf("worker %d", i+1)))
	}
	threads[0].NewQueue("q")
	axpy, matmul, extra := threads[0].NewPipeline("axpy"), threads[0].NewPipeline("matmul"),
		threads[0].NewPipeline("extra")
	for i := range p.steps {
		for _, th := range threads {
			th.Run(tracetest.Step{Pipeline: axpy, Encode: lasts(300, 1), Commit: lasts(4000, p.commit), Delay: lasts(3000, 1),
				GPU: lasts(30_000, 1), Notify: lasts(2000, 1)})
			th.Run(tracetest.Step{Pipeline: matmul, Encode: lasts(300, 1), Commit: lasts(4000, p.commit), Delay: lasts(3000, 1),
				GPU: lasts(60_000, p.matmul), Notify: lasts(2000, 1)})
			if p.extra && i%4 == 0 {
				th.Run(tracetest.Step{Pipeline: extra, Encode: 300, Commit: lasts(4000, p.commit), Delay: 3000, GPU: 10_000,
					Notify: 2000})
				th.Call(wire.FamilyCommandBuffer, "enqueue", 1, 0, 500, nil)
			}
		}
	}
	pr.End()
	f.Close()
	return path
}

func base(seed uint64) program {
	return program{seed: seed, steps: 150, commit: 1, matmul: 1, scatter: 0.2}
}

func read(t testing.TB, p program, name string) *Run {
	t.Helper()
	r, err := Read(p.write(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func compare(t testing.TB, a, b []*Run) *Document {
	t.Helper()
	d, err := Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *Document) find(kind Kind, name string) Change {
	for _, c := range d.Changes {
		if c.Kind == kind && c.Name == name {
			return c
		}
	}
	return Change{}
}

func (d *Document) changed() (list []string) {
	for _, c := range d.Changes {
		if c.Status != Same && c.Status != Untested {
			list = append(list, fmt.Sprintf("%s %s %s", c.Status, c.Kind, c.Name))
		}
	}
	return list
}

// Two runs of one program: nothing changed, whatever the seed.
func TestNoiseIsNotAChange(t *testing.T) {
	wrong, pairs := 0, uint64(20)
	if testing.Short() {
		pairs = 4
	}
	for seed := range pairs {
		d := compare(t, []*Run{read(t, base(2*seed+1), "a")}, []*Run{read(t, base(2*seed+2), "b")})
		if c := d.changed(); len(c) > 0 {
			t.Logf("seed %d: %q", seed, c)
			wrong++
		}
		if d.Tested < 8 {
			t.Errorf("seed %d: only %d were tested", seed, d.Tested)
		}
	}
	if wrong > 1 { // a rate of 5% in 20 pairs
		t.Errorf("%d of %d pairs of equal programs are called different", wrong, pairs)
	}
}

func TestFindsWhatChanged(t *testing.T) {
	b := base(2)
	b.commit, b.matmul, b.extra = 1.5, 0.7, true
	d := compare(t, []*Run{read(t, base(1), "a")}, []*Run{read(t, b, "b")})
	for _, want := range []struct {
		kind   Kind
		name   string
		status Status
		ratio  float64
	}{
		{KindCall, "commit", Slower, 1.5},
		{KindKernel, "matmul", Faster, 0.7},
		{KindKernel, "axpy", Same, 1},
		{KindKernel, "extra", Added, 0},
		{KindCall, "enqueue", Added, 0},
		{KindCall, "newCommandQueue", Untested, 0},
	} {
		c := d.find(want.kind, want.name)
		if c.Status != want.status {
			t.Errorf("%s %s is %s, want %s: %+v", want.kind, want.name, c.Status, want.status, c)
		}
		if want.ratio != 0 && (c.Ratio == nil || *c.Low > want.ratio || *c.High < want.ratio) {
			t.Errorf("%s %s: the interval does not hold %v: %+v", want.kind, want.name, want.ratio, c)
		}
	}
	back := compare(t, []*Run{read(t, b, "b")}, []*Run{read(t, base(1), "a")})
	if c := back.find(KindCall, "enqueue"); c.Status != Removed {
		t.Errorf("the other way round enqueue is %s", c.Status)
	}
}

// If runs of one program differ as a whole, one run of each side looks different. Several runs of each show the noise.
func TestRepeatedRunsShowTheirNoise(t *testing.T) {
	var sides [2][]*Run
	for i := range 5 {
		for s := range sides {
			p := base(uint64(10*i + s + 1))
			p.shift, p.steps = 0.15, 40
			if s == 1 {
				p.commit = 3
			}
			sides[s] = append(sides[s], read(t, p, fmt.Sprint(i)))
		}
	}
	d := compare(t, sides[0], sides[1])
	if d.Noise != "between runs" {
		t.Error(d.Noise)
	}
	if c := d.find(KindCall, "commit"); c.Status != Slower || *c.Low > 3 || *c.High < 3 {
		t.Errorf("commit, three times as long: %+v", c)
	}
	if c := d.find(KindKernel, "axpy"); c.Status != Same && c.Status != Unclear {
		t.Errorf("axpy did not change: %+v", c)
	}
	for _, c := range d.Changes { // the ratio once differed from B divided by A in the same row
		if c.Ratio != nil && math.Abs(c.B/c.A / *c.Ratio - 1) > 1e-9 {
			t.Errorf("%s: %v is not %v / %v", c.name(), *c.Ratio, c.B, c.A)
		}
	}
	extra := base(77)
	extra.extra, extra.steps = true, 40
	d = compare(t, sides[0], append(sides[1], read(t, extra, "extra")))
	if c := d.find(KindKernel, "extra"); c.Status != Untested || c.Why == "" {
		t.Errorf("a kernel that is in one of six runs was not added: %+v", c)
	}
}

// An item whose interval includes large changes was reported as the same although it differed by 60%.
func TestTooNoisyToTell(t *testing.T) {
	run := func(ns ...float64) (list []*Run) {
		for _, n := range ns {
			list = append(list, &Run{Report: &report.Report{}, measures: map[Key]*measure{
				{KindKernel, "noisy"}:  {count: 9, mean: n, share: 1},
				{KindKernel, "steady"}: {count: 9, mean: 1000 + n/1e4, share: 1}}})
		}
		return list
	}
	d := compare(t, run(1000, 3000, 900), run(1700, 6000, 800))
	if noisy, steady := d.find(KindKernel, "noisy"), d.find(KindKernel, "steady"); noisy.Status != Unclear ||
		steady.Status != Same || *noisy.Ratio < 1.3 {
		t.Errorf("noisy: %+v, steady: %+v", noisy, steady)
	}
}

// Tokens are compared and tested: between runs by their medians, within a run by their times. The answer is about them,
// and says which part of a token changed.
func TestTokensAreTested(t *testing.T) {
	tokens := func(path string, gpu int64) *Run {
		f := tracetest.Create(t, path)
		pr := f.Process(100, "/bin/chat")
		worker := pr.Thread(1, "worker")
		worker.NewQueue("q")
		step := worker.NewPipeline("step")
		for i := range int64(200) {
			worker.Mark("token")
			worker.Run(tracetest.Step{Pipeline: step, Encode: 300, Commit: 4000, Delay: 3000, GPU: gpu + (i*7919)%(gpu/20),
				Notify: 2000})
		}
		pr.End()
		f.Close()
		r, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	folder := t.TempDir()
	d := compare(t, []*Run{tokens(filepath.Join(folder, "a.mtrace"), 400_000)},
		[]*Run{tokens(filepath.Join(folder, "b.mtrace"), 550_000)})
	c := d.find(KindToken, eachToken)
	if c.Status != Slower || c.PValue == nil {
		t.Errorf("each token: %+v", c)
	}
	if got := d.Answer(); !strings.HasPrefix(got, "B is 1.3") || !strings.Contains(got, "x slower per token (") ||
		d.Tokens() != "" {
		t.Errorf("the answer: %q, tokens: %q", got, d.Tokens())
	}
	if got := d.Cost(); !strings.Contains(got, " per token, GPU work +") {
		t.Errorf("the cost: %q", got)
	}
}

// Threads and the run report the part of their time that changed.
func TestBecause(t *testing.T) {
	b := base(2)
	b.commit = 10
	d := compare(t, []*Run{read(t, base(1), "a")}, []*Run{read(t, b, "b")})
	for _, key := range []Key{{KindRun, wholeRun}, {KindThread, "worker 1"}, {KindThread, "worker 2"}} {
		if c := d.find(key.Kind, key.Name); c.Status != Slower || !strings.HasSuffix(c.Because, " commit") {
			t.Errorf("%v: %s because of %q", key, c.Status, c.Because)
		}
	}
}

// The median round became 200 µs longer because of the work on the GPU. A few late wake-ups of a thread made the mean
// 600 µs longer; they are not the reason, and were reported as it.
func TestBecauseOfWhatIsUsual(t *testing.T) {
	key := Key{KindRun, wholeRun}
	run := func(executing, notify float64) []*Run {
		return []*Run{{measures: map[Key]*measure{key: {count: 300, mean: executing + notify,
			parts: map[string]float64{"wait_executing_ns": executing, "wait_notify_ns": notify}}}}}
	}
	for _, c := range []struct {
		by   float64
		a, b []*Run
		want string
	}{
		{200_000, run(1_000_000, 50_000), run(1_200_000, 650_000), "+200 µs executing"},
		{-200_000, run(1_200_000, 650_000), run(1_000_000, 50_000), "−200 µs executing"},
		{200_000, run(1_000_000, 50_000), run(1_000_000, 650_000), ""},
		{200_000, run(1_000_000, 50_000), run(1_010_000, 70_000), ""},
	} {
		change := Change{Kind: key.Kind, Name: key.Name}
		if change.because(c.by, c.a, c.b); change.Because != c.want {
			t.Errorf("by %v: %q, want %q", c.by, change.Because, c.want)
		}
	}
}

// A call with a negligible share of the time may double without slowing the program: it is reported, and does not fail
// the comparison.
func TestMinorChangesFailNothing(t *testing.T) {
	run := func(begin int64) *Run {
		path := filepath.Join(t.TempDir(), "m.mtrace")
		f := tracetest.Create(t, path)
		p := f.Process(1, "m")
		th := p.Thread(2, "main")
		th.NewQueue("q")
		k := th.NewPipeline("k")
		for i := range int64(200) {
			th.Run(tracetest.Step{Pipeline: k, Encode: begin + i%7, Commit: 4000 + i%3*100, Delay: 3000, GPU: 300_000 +
				i*i%97*100, Notify: 2000})
		}
		p.End()
		f.Close()
		r, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	d := compare(t, []*Run{run(100)}, []*Run{run(200)})
	c := d.find(KindCall, "dispatchThreads:threadsPerThreadgroup:")
	if c.Status != Slower || !c.Minor {
		t.Errorf("%+v", c)
	}
	if err := d.Fail(0.1); err != nil || len(d.Failed) > 0 {
		t.Errorf("%q, %v", d.Failed, err)
	}
	// Runs of the same program differ in calls of a few nanoseconds, depending on other load on the machine: a list of
	// these would hide important changes.
	var text bytes.Buffer
	if err := d.WriteText(&text); err != nil || strings.Contains(text.String(), "dispatchThreads") ||
		!strings.Contains(text.String(), "no relevant change exceeds the noise\nminor changes, in items with "+
			"under 0.5% of the time: 1 (listed") {
		t.Errorf("%v: %s", err, text.String())
	}
}

func TestFailOver(t *testing.T) {
	b := base(2)
	b.commit = 1.5
	d := compare(t, []*Run{read(t, base(1), "a")}, []*Run{read(t, b, "b")})
	for over, want := range map[float64]bool{0.10: true, 0.40: true, 0.70: false} {
		d.Failed = nil
		if err := d.Fail(over); err != nil || (len(d.Failed) > 0) != want {
			t.Errorf("over %v: %q, %v", over, d.Failed, err)
		}
	}
}

// The story: a program that did a thirtieth of the work failed a check against the earlier one. One of its threads,
// with less work, waited longer for the next signal. And on a busy machine waitUntilCompleted took 5 ms instead of 11
// µs: in the earlier run it came after a wait for the same work's event, in the later one that event came at once.
func TestWaitingForLessWorkIsNotSlower(t *testing.T) {
	ratio := 50.0
	for c, failed := range map[Change]int{
		{Kind: KindCall, Name: "pthread_cond_timedwait", Status: Slower, Ratio: &ratio}: 0,
		{Kind: KindCall, Name: "waitUntilCompleted", Status: Slower, Ratio: &ratio}:     0,
		{Kind: KindCall, Name: "pthread_mutex_lock", Status: Slower, Ratio: &ratio}:     1,
		{Kind: KindCall, Name: "commit", Status: Slower, Ratio: &ratio}:                 1,
		{Kind: KindKernel, Name: "sem_wait", Status: Slower, Ratio: &ratio}:             1,
	} {
		d := &Document{Changes: []Change{c}, Tested: 1}
		if err := d.Fail(0.5); err != nil || len(d.Failed) != failed {
			t.Errorf("%s %s: %q, %v", c.Kind, c.Name, d.Failed, err)
		}
	}
}

// Reports have sums only: one report per side cannot distinguish a change from noise, and must not decide anything.
func TestReports(t *testing.T) {
	reports := func(seeds ...uint64) (runs []*Run) {
		for _, s := range seeds {
			p := base(s)
			if s >= 10 {
				p.commit = 2
			}
			p.shift, p.steps = 0.02, 40
			path := filepath.Join(t.TempDir(), "r.json")
			trace, err := analyze.Load(p.write(t, "r"), analyze.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := report.Build(trace, report.Options{}).WriteJSON(&b); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			r, err := Read(path)
			if err != nil {
				t.Fatal(err)
			}
			runs = append(runs, r)
		}
		return runs
	}
	one := compare(t, reports(1), reports(10))
	if c := one.find(KindCall, "commit"); c.Status != Untested || c.Why == "" {
		t.Errorf("one report a side: %+v", c)
	}
	if err := one.Fail(0.1); err == nil {
		t.Error("one report a side decides something")
	}
	mixed := compare(t, []*Run{read(t, base(3), "a")}, reports(10))
	if c := mixed.find(KindCall, "commit"); c.Status != Untested || c.A != c.MeanA {
		t.Errorf("a trace and a report: %+v", c)
	}
	many := compare(t, reports(1, 2, 3, 4), reports(10, 11, 12, 13))
	if c := many.find(KindCall, "commit"); c.Status != Slower || *c.Low > 2 || *c.High < 2 {
		t.Errorf("four reports a side: %+v", c)
	}
}

func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"empty": "", "text": "hello", "broken.json": `{"schema": "mtrace.rep`,
		"other.json": `{"schema": "mtrace.scaling/1"}`, "list.json": `[1]`,
		"types.json": `{"schema": "mtrace.report/1", "calls": 3}`,
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Read(filepath.Join(dir, "none")); err == nil {
		t.Error("a file that is not there was read")
	}
}

func TestGolden(t *testing.T) {
	b := base(2)
	b.commit, b.extra = 1.5, true
	ra, rb := read(t, base(1), "a"), read(t, b, "b")
	ra.Path, rb.Path = "a.mtrace", "b.mtrace"
	d := compare(t, []*Run{ra}, []*Run{rb})
	if err := d.Fail(0.1); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := d.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "diff.txt")
	if *update {
		if err := os.WriteFile(golden, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || !bytes.Equal(text.Bytes(), want) {
		t.Errorf("%s (%v): go test -update writes it anew; got\n%s", golden, err, text.Bytes())
	}
	js, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var back Document
	if err := json.Unmarshal(js, &back); err != nil || back.Schema != Schema || len(back.Changes) != len(d.Changes) ||
		bytes.Contains(js, []byte("null,\"changes\"")) {
		t.Errorf("%v: %s", err, js)
	}
}

func TestThreadNames(t *testing.T) {
	threads := []report.Thread{{Name: "main"}, {Name: "worker"}, {}, {Name: "worker"}, {}}
	if got := fmt.Sprint(threadNames(threads)); got != "[main worker #1 thread #1 worker #2 thread #2]" {
		t.Error(got)
	}
}

// For any report, comparing it ends with a valid JSON document.
func FuzzReports(f *testing.F) {
	f.Add([]byte(`{"schema": "mtrace.report/1"}`),
		[]byte(`{"schema": "mtrace.report/1", "calls": [{"selector": "commit", "count": 3, "total_ns": 900}]}`))
	f.Add([]byte(`{"schema": "mtrace.report/1", "source": {"window_ns": 10}, "threads": [{"tid": 1, `+
		`"command_buffers": 2, "window_ns": 9, "time": {"lock_ns": 4}}]}`),
		[]byte(`{"schema": "mtrace.report/1", "source": {"window_ns": -10}, "threads": [{"tid": 1, `+
			`"command_buffers": -2, "window_ns": 9223372036854775807}]}`))
	f.Add([]byte(`{"schema": "mtrace.report/1", "kernels": [{"name": "k", "dispatches": 1, "gpu_ns": 5}]}`),
		[]byte(`{"schema": "mtrace.report/1", "kernels": [{"name": "k", "dispatches": 7, "gpu_ns": 0}]}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var runs []*Run
		for _, text := range [][]byte{a, b} {
			doc, err := decodeReport(bytes.NewReader(text), "r")
			if err != nil {
				return
			}
			r := &Run{Path: "r", Report: doc, measures: map[Key]*measure{}}
			r.fromReport()
			runs = append(runs, r)
		}
		d, err := Compare([]*Run{runs[0], runs[1]}, []*Run{runs[1], runs[1], runs[0]})
		if err != nil {
			t.Fatal(err)
		}
		d.Fail(0.1)
		if _, err := json.Marshal(d); err != nil {
			t.Error(err)
		}
		if err := d.WriteText(&bytes.Buffer{}); err != nil {
			t.Error(err)
		}
	})
}

// TestSoftwareMetalIsSaid: times that are not a GPU's are reported as such first, also if only one side's are not.
func TestSoftwareMetalIsSaid(t *testing.T) {
	side := func(software bool) []*Run {
		return []*Run{{Path: "x.mtrace", Report: &report.Report{Source: report.Source{SoftwareMetal: software}}}}
	}
	for _, c := range []struct {
		a, b bool
		want string
	}{{true, true, "the times of A and B are"}, {true, false, "the times of A are"}, {false, true, "the times of B are"},
		{false, false, "one run per side"}} {
		d, err := Compare(side(c.a), side(c.b))
		if err != nil || len(d.Warnings) == 0 || !strings.Contains(d.Warnings[0], c.want) {
			t.Errorf("%v and %v: %v %q", c.a, c.b, err, d.Warnings)
		}
	}
}
