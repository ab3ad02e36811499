package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/collector/wire"
	"mtrace/fixtures/softmetal/truth"
)

// compared reports whether a row is compared with the truth, which has messages to objects, and neither C functions nor
// locks and signals. For a getter that a program polls one record stands for many messages, or none is written. The
// truth does not have the ends of objects.
func compared(row wire.Row) bool {
	return row.Group != wire.GroupNone && row.Group != wire.GroupLock && row.Group != wire.GroupSignal &&
		row.Family != wire.FamilyFunction && row.Effect != wire.EffectReleases && !row.Polls()
}

// tracedSelectors returns the selectors in the table of calls: the truth file's other calls are not traced.
func tracedSelectors() map[string]bool {
	all := map[string]bool{}
	for c := range wire.Table {
		if row := wire.Call(c).Row(); compared(row) {
			all[row.Selector] = true
		}
	}
	return all
}

// sequences are the calls of each thread, by selector, in the order in which they ended.
type sequences map[uint64][]string

// traceSequences reads them from a trace.
func traceSequences(t *testing.T, path string) (sequences, *analyze.Trace) {
	t.Helper()
	type ended struct {
		selector string
		at       analyze.Nanos
	}
	calls := map[uint64][]ended{}
	trace, err := analyze.Load(path, analyze.Options{Visit: func(c *analyze.VisitedCall) {
		if !c.Unfinished && compared(*c.Row) {
			calls[uint64(c.Thread.ID)] = append(calls[uint64(c.Thread.ID)], ended{c.Row.Selector, c.End})
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	all := sequences{}
	for tid, list := range calls {
		slices.SortStableFunc(list, func(a, b ended) int { return int(a.at - b.at) })
		for _, c := range list {
			all[tid] = append(all[tid], c.selector)
		}
	}
	return all, trace
}

// truthSequences reads them from the software Metal's own account: the calls the program itself made and that returned.
// Within the commit the tracer adds a completion handler of its own; that one is left out.
func truthSequences(t *testing.T, path string) (sequences, *truth.File) {
	t.Helper()
	file, err := truth.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	traced := tracedSelectors()
	calls := map[uint64][]truth.Call{}
	for _, c := range file.Calls {
		if c.Depth == 0 && traced[c.Selector] && c.End != 0 {
			calls[uint64(c.Thread)] = append(calls[uint64(c.Thread)], c)
		}
	}
	all := sequences{}
	for tid, list := range calls {
		slices.SortStableFunc(list, func(a, b truth.Call) int { return int(a.End) - int(b.End) })
		for i, c := range list {
			ours := c.Selector == "addCompletedHandler:" && i+1 < len(list) && list[i+1].Selector == "commit" &&
				list[i+1].Object == c.Object
			if !ours {
				all[tid] = append(all[tid], c.Selector)
			}
		}
	}
	return all, file
}

// runWorkload traces the workload against a truth file and returns the paths of both.
func runWorkload(t *testing.T, args ...string) (tracePath, truthPath string) {
	t.Helper()
	directory := t.TempDir()
	tracePath, truthPath = filepath.Join(directory, "t.mtrace"), filepath.Join(directory, "truth")
	command := append([]string{"run", "--no-report", "-o", tracePath, "--", "python3", workload(t)}, args...)
	if got := sh(t, directory, []string{"SOFTMETAL_TRUTH=" + truthPath}, tool.mtrace, command...); got.exit != 0 {
		t.Fatalf("%v: %+v", command, got)
	}
	return tracePath, truthPath
}

// The trace equals the truth: every call of every thread in order, nothing more, and the GPU's times.
func TestTraceIsTheTruth(t *testing.T) {
	t.Parallel()
	needTruth(t)
	for _, c := range []struct {
		name string
		args []string
	}{
		{"device sync", []string{"--op", "axpy", "--size", "4096", "--dtype", "float32", "--threads", "8", "--iters", "50",
			"--sync-mode", "device"}},
		{"event sync", []string{"--op", "axpy", "--size", "4096", "--dtype", "float32", "--threads", "8", "--iters", "50",
			"--sync-mode", "event"}},
		{"no sync, shared queue", []string{"--op", "gelu", "--size", "4096", "--dtype", "float16", "--threads", "4",
			"--iters", "50", "--sync-mode", "none", "--queues", "shared"}},
		{"two-stage reduction", []string{"--op", "reduce", "--size", "65536", "--dtype", "float32", "--threads", "2",
			"--iters", "20", "--sync-mode", "event"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tracePath, truthPath := runWorkload(t, c.args...)
			got, trace := traceSequences(t, tracePath)
			want, file := truthSequences(t, truthPath)
			if len(want) < 2 {
				t.Fatalf("the truth has %d threads", len(want))
			}
			if trace.Recording.Lost.Records != 0 {
				t.Errorf("%d records lost", trace.Recording.Lost.Records)
			}
			for _, tid := range slices.Sorted(maps.Keys(want)) {
				if i := firstDifference(got[tid], want[tid]); i >= 0 {
					t.Errorf("thread %d: %d calls in the trace, %d in truth; from call %d on: %s, in truth %s", tid, len(got[tid]),
						len(want[tid]), i, from(got[tid], i), from(want[tid], i))
				}
			}
			for tid := range got {
				if want[tid] == nil {
					t.Errorf("thread %d has %d calls in the trace and none in truth", tid, len(got[tid]))
				}
			}
			checkNested(t, trace, file)
			checkGPU(t, trace, file)
			checkLabels(t, trace, file)
			checkPartition(t, trace)
		})
	}
}

// checkNested compares the number of calls inside calls, which are counted and not recorded, with the calls that the
// software Metal made itself. A call of super does not count: it bypasses the replaced method of the object's class.
func checkNested(t *testing.T, trace *analyze.Trace, file *truth.File) {
	t.Helper()
	traced, want := tracedSelectors(), int64(0)
	stacks := map[truth.ThreadID][]truth.Call{}
	for _, c := range file.Calls {
		stack := stacks[c.Thread]
		stack = stack[:min(c.Depth, len(stack))]
		if n := len(stack); n > 0 && traced[c.Selector] && !file.Internal(c.Thread) {
			if outer := stack[n-1]; outer.Selector != c.Selector || outer.Object != c.Object {
				want++
			}
		}
		stacks[c.Thread] = append(stack, c)
	}
	if trace.Recording.Lost.Nested != want || want == 0 {
		t.Errorf("%d calls inside calls were counted, %d were made", trace.Recording.Lost.Nested, want)
	}
}

func firstDifference(a, b []string) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			return i
		}
	}
	return -1
}

func from(list []string, i int) string {
	return fmt.Sprint(list[min(i, len(list)):min(i+4, len(list))])
}

// checkGPU compares the GPU's intervals of all command buffers, paired by committing thread and order of commit, with
// truth.
func checkGPU(t *testing.T, trace *analyze.Trace, file *truth.File) {
	t.Helper()
	const tolerance = 50 * time.Microsecond
	want := map[uint64][]truth.CommandBuffer{}
	for _, b := range file.CommandBuffers {
		if b.Committer != 0 {
			want[uint64(b.Committer)] = append(want[uint64(b.Committer)], b)
		}
	}
	got := map[uint64][]*analyze.CommandBuffer{}
	for b := range trace.Buffers() {
		if b.Committed.Thread != nil {
			got[uint64(b.Committed.Thread.ID)] = append(got[uint64(b.Committed.Thread.ID)], b)
		}
	}
	count := 0
	for tid, truths := range want {
		slices.SortFunc(truths, func(a, b truth.CommandBuffer) int { return int(a.Committed) - int(b.Committed) })
		traced := got[tid]
		slices.SortFunc(traced, func(a, b *analyze.CommandBuffer) int { return int(a.Committed.Begin - b.Committed.Begin) })
		if len(traced) != len(truths) {
			t.Errorf("thread %d committed %d command buffers, in truth %d", tid, len(traced), len(truths))
			continue
		}
		for i, b := range truths {
			if b.Completed == 0 {
				continue
			}
			count++
			begin, end := time.Duration(traced[i].GPU.Begin)-time.Duration(b.GPUStart),
				time.Duration(traced[i].GPU.End)-time.Duration(b.GPUEnd)
			if begin.Abs() > tolerance || end.Abs() > tolerance {
				t.Fatalf("thread %d, command buffer %d: GPU start off by %v, end by %v", tid, i, begin, end)
			}
		}
	}
	if count == 0 {
		t.Error("no command buffer to compare")
	}
}

// checkLabels compares how many command buffers have which label.
func checkLabels(t *testing.T, trace *analyze.Trace, file *truth.File) {
	t.Helper()
	last := map[truth.ObjectID]string{}
	for _, l := range file.Labels {
		last[l.Object] = l.Text
	}
	want, got := map[string]int{}, map[string]int{}
	for _, b := range file.CommandBuffers {
		if b.Committer != 0 {
			want[last[b.ID]]++
		}
	}
	for b := range trace.Buffers() {
		if b.Committed.Thread != nil {
			got[b.Label]++
		}
	}
	if !maps.Equal(got, want) || len(want) == 1 && want[""] > 0 {
		t.Errorf("command buffers by label: %v, in truth %v", got, want)
	}
}

// checkPartition checks that each thread's time adds up to its window, to the nanosecond.
func checkPartition(t *testing.T, trace *analyze.Trace) {
	t.Helper()
	for _, th := range cause.Analyze(trace, cause.Options{}).Evidence.Times.Threads {
		var sum analyze.Nanos
		for _, part := range th.Time {
			sum += part
		}
		if sum != th.ActiveRange {
			t.Errorf("thread %d: its parts add up to %d ns of %d", th.Thread.ID, sum, th.ActiveRange)
		}
	}
}

// A SIGKILL at any moment loses nothing that had returned to the program: its calls are in the trace, once. The
// software Metal notes a return just before the tracer can, so the last call of a thread may be in truth and not yet in
// the trace.
func TestKilledProgramLosesNothing(t *testing.T) {
	t.Parallel()
	needTruth(t)
	kills := 25
	if testing.Short() {
		kills = 3
	}
	args := []string{workload(t), "--op", "axpy", "--size", "1024", "--dtype", "float32", "--threads", "3", "--iters",
		"1000000", "--sync-mode", "event"}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			killRepeatedly(t, kills, rand.New(rand.NewPCG(1, seed)), append([]string{python}, args...))
		})
	}
}

// killRepeatedly runs a program, kills it at a random moment and compares its trace with the truth, as often as kills
// says.
func killRepeatedly(t *testing.T, kills int, random *rand.Rand, program []string) {
	t.Helper()
	directory, calls := t.TempDir(), 0
	for i := range kills {
		tracePath, truthPath := filepath.Join(directory, fmt.Sprint(i, ".mtrace")),
			filepath.Join(directory, fmt.Sprint(i, ".truth"))
		cmd := exec.Command(tool.mtrace, append([]string{"run", "--no-report", "-o", tracePath, "--", "sh", "-c",
			`echo $$ >"$0"; exec "$@"`, filepath.Join(directory, "pid")}, program...)...)
		cmd.Env = append(os.Environ(), "SOFTMETAL_TRUTH="+truthPath)
		os.Remove(filepath.Join(directory, "pid"))
		startInTime(t, cmd)
		pid := waitForPID(t, filepath.Join(directory, "pid"), truthPath)
		time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond)
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		if got := cli.ExitStatus(waitStatus(cmd)); got != 128+int(syscall.SIGKILL) {
			t.Errorf("kill %d: exit status %d", i, got)
		}
		got, trace := traceSequences(t, tracePath)
		want, _ := truthSequences(t, truthPath)
		for tid, truths := range want {
			traced := got[tid]
			calls += len(traced)
			if d := firstDifference(traced, truths); d >= 0 && (d != len(traced) || len(truths)-len(traced) > 1) {
				t.Errorf("kill %d, thread %d: %d calls in the trace, %d in truth; from call %d on: %s, in truth %s", i, tid,
					len(traced), len(truths), d, from(traced, d), from(truths, d))
			}
		}
		if trace.Recording.Lost.Records != 0 {
			t.Errorf("kill %d: %d records lost", i, trace.Recording.Lost.Records)
		}
		os.Remove(tracePath)
		os.Remove(truthPath)
	}
	t.Logf("%d kills, %d calls", kills, calls)
}

// waitForPID waits until the program has written its process id and has begun to use Metal.
func waitForPID(t *testing.T, path, truthPath string) (pid int) {
	t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		text, _ := os.ReadFile(path)
		if n, _ := fmt.Sscanf(string(text), "%d\n", &pid); n == 1 {
			if _, err := truth.Open(truthPath); err == nil { // it is there before its header is
				return pid
			}
		}
	}
	t.Fatal("the program did not start")
	return 0
}
