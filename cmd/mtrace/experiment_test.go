package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mtrace/analyze"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// timedMetal makes the software Metal's command buffers take a known time.
var timedMetal = []string{"SOFTMETAL_TIMED=1", "SOFTMETAL_DURATION_US=300"}

// A treated is a trace of an experiment: its blocks, and the calls that began and ended in them.
type treated struct {
	experiment *analyze.Experiment
	calls      map[string][]analyze.Interval // by selector
}

func loadExperiment(t *testing.T, path string) (e treated) {
	t.Helper()
	e.calls = map[string][]analyze.Interval{}
	trace, err := analyze.Load(path, analyze.Options{Visit: func(c *analyze.VisitedCall) {
		e.calls[c.ID.String()] = append(e.calls[c.ID.String()], analyze.Interval{Begin: c.Begin, End: c.End})
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range trace.Processes {
		if p.Experiment != nil {
			e.experiment = p.Experiment
		}
	}
	if e.experiment == nil {
		t.Fatalf("%s: no process has an experiment", path)
	}
	return e
}

// in returns the number of calls in the blocks of a target, 0 for baselines, and their median length.
func (e *treated) in(selector string, target int) (count int, median analyze.Nanos) {
	var lengths []analyze.Nanos
	for _, c := range e.calls[selector] {
		for _, b := range e.experiment.Blocks {
			if b.Target == target && c.Begin >= b.Begin && c.End <= b.End {
				lengths = append(lengths, c.Length())
			}
		}
	}
	if len(lengths) == 0 {
		return 0, 0
	}
	slices.Sort(lengths)
	return len(lengths), lengths[len(lengths)/2]
}

// shorterThanDelay returns the number of calls in treated blocks that take less time than the delay inside them.
func (e *treated) shorterThanDelay(selector string) (count int) {
	const clocks = 2 * 1000 // two clocks are compared
	for _, c := range e.calls[selector] {
		for _, b := range e.experiment.Blocks {
			if b.Target != 0 && c.Begin >= b.Begin && c.End <= b.End && c.Length()+clocks < b.Delay {
				count++
			}
		}
	}
	return count
}

// blocks adds up the blocks of a target.
func (e *treated) blocks(target int) (sum analyze.ExperimentBlock, count int) {
	for _, b := range e.experiment.Blocks {
		if b.Target == target {
			sum.Occurrences, sum.Injected, sum.Units = sum.Occurrences+b.Occurrences, sum.Injected+b.Injected,
				sum.Units+b.Units
			sum.Delay += b.Delay * analyze.Nanos(b.Occurrences)
			count++
		}
	}
	return sum, count
}

// TestExperiment: delays are inserted into the intended calls, in treated blocks and in no others, for the reported
// duration, and the program's output and exit status are its own.
func TestExperiment(t *testing.T) {
	for _, c := range []struct {
		target, inside string // inside: the call that takes longer; empty: none does
		calls          []string
	}{
		{"commit", "commit", nil},
		{"wait", "waitUntilCompleted", nil},
		{"encode", "endEncoding", nil},
		{"own", "", []string{"commandBuffer", "commit", "endEncoding"}},
		{"handler", "", []string{"commit", "endEncoding"}},
	} {
		t.Run(c.target, func(t *testing.T) {
			dir := t.TempDir()
			got := sh(t, dir, timedMetal, tool.mtrace, "experiment", "--target", c.target, "--budget", "20%", "--seed", "5",
				"-o", "t.mtrace", "--", "sh", "-c",
				"python3 "+workload(t)+" --no-check --iters 5000 --sync-mode device; exit 7")
			if got.exit != 7 || !strings.Contains(got.stdout, "ops/s") || strings.Count(got.stdout, "\n") != 1 {
				t.Fatalf("the program's output or status are not its own: %+v", got)
			}
			e := loadExperiment(t, filepath.Join(dir, "t.mtrace"))
			if x := e.experiment; x.Seed != 5 || x.Budget != 0.20 || x.Threads != 1 || len(x.Targets) != 1 ||
				x.Targets[0].Name != c.target {
				t.Fatalf("the experiment is %+v", x)
			}
			baseline, count := e.blocks(0)
			if count == 0 || baseline.Occurrences != 0 || baseline.Injected != 0 || baseline.Units == 0 {
				t.Errorf("%d baseline blocks together are %+v", count, baseline)
			}
			delayed, treatedCount := e.blocks(1)
			// a delay that runs at the end of a block counts there, and its time in the next one
			atBorders := analyze.Nanos(treatedCount) * delayed.Delay / analyze.Nanos(max(1, delayed.Occurrences))
			if treatedCount == 0 || delayed.Units == 0 || delayed.Injected < delayed.Delay-atBorders {
				t.Fatalf("%d treated blocks together are %+v", treatedCount, delayed)
			}
			mean := delayed.Injected / analyze.Nanos(delayed.Occurrences)
			if c.inside != "" {
				n, with := e.in(c.inside, 1)
				if _, without := e.in(c.inside, 0); with <= without {
					t.Errorf("%s takes %v in treated blocks and %v in the others", c.inside, with, without)
				}
				if short := e.shorterThanDelay(c.inside); short > 0 {
					t.Errorf("%d calls of %s in treated blocks are shorter than their delay", short, c.inside)
				}
				if off := int64(n) - delayed.Occurrences; off < -2*int64(treatedCount) || off > 2*int64(treatedCount) {
					t.Errorf("%d calls lie in the treated blocks, and %d were delayed", n, delayed.Occurrences)
				}
			}
			for _, call := range c.calls {
				_, with := e.in(call, 1)
				if _, without := e.in(call, 0); with > without+mean/2+20*1000 {
					t.Errorf("%s takes %v in treated blocks and %v in the others, though delays of %v stand outside of it", call,
						with, without, mean)
				}
			}
		})
	}
}

// TestDelaysSleepOrSpin: delays that sleep leave the processor to others, and delays that spin use it, however long the
// program runs.
func TestDelaysSleepOrSpin(t *testing.T) {
	used := map[string]float64{} // seconds of processors for each second of delay
	for _, how := range []string{"sleep", "spin"} {
		dir := t.TempDir()
		cmd := exec.Command(tool.mtrace, "experiment", "--target", "commit", "--budget", "50%", "--delay", how, "-o",
			"t.mtrace", "--", "python3", workload(t), "--no-check", "--iters", "1200", "--sync-mode", "device")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "SOFTMETAL_TIMED=1", "SOFTMETAL_DURATION_US=2000")
		if out, err := saidBy(cmd, commandLimit); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		e := loadExperiment(t, filepath.Join(dir, "t.mtrace")).experiment
		if e.Targets[0].Sleeps != (how == "sleep") {
			t.Errorf("--delay %s: the target is %+v", how, e.Targets[0])
		}
		delayed := analyze.Nanos(0)
		for _, b := range e.Blocks {
			delayed += b.Delay * analyze.Nanos(b.Occurrences)
		}
		if delayed == 0 {
			t.Fatalf("--delay %s: nothing was delayed", how)
		}
		used[how] = cmd.ProcessState.UserTime().Seconds() / (float64(delayed) / 1e9)
		t.Logf("--delay %s: delays of %v, %v of processors", how, delayed, cmd.ProcessState.UserTime())
	}
	if used["spin"]-used["sleep"] < 0.5 {
		t.Errorf("a second of delays that spin uses %.2f s of processors, of delays that sleep %.2f s", used["spin"],
			used["sleep"])
	}
}

// TestVirtualSpeedup: the blocks of a virtual speed-up come in pairs of the same delay. In one of them the other
// threads pause; in the control the thread that commits pauses for as long, too.
func TestVirtualSpeedup(t *testing.T) {
	needTruth(t)
	if out, err := saidBy(exec.Command("../../fixtures/scenarios/programs/build.sh", tool.dir), commandLimit); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dir := t.TempDir()
	got := sh(t, dir, []string{"SOFTMETAL_TIMED=1", "SOFTMETAL_ENGINES=8", "SOFTMETAL_SUBMIT_US=1000"}, tool.mtrace,
		"experiment", "--target", "commit", "--speedup", "-o", "t.mtrace", "--", filepath.Join(tool.dir, "scenario"),
		"independent", "--threads", "3", "--milliseconds", "8000")
	if got.exit != 0 || !strings.Contains(got.stderr, "Virtual speed-ups: ") {
		t.Fatalf("%+v", got)
	}
	e := loadExperiment(t, filepath.Join(dir, "t.mtrace"))
	sped := 0
	for _, target := range e.experiment.Targets {
		if target.Mode == wire.ExperimentSpeedup {
			sped = target.ID
		}
	}
	median := func(control bool, delay analyze.Nanos) analyze.Nanos {
		var lengths []analyze.Nanos
		for _, b := range e.experiment.Blocks {
			for _, c := range e.calls["commit"] {
				if b.Target == sped && b.Control == control && b.Delay == delay && c.Begin >= b.Begin && c.End <= b.End {
					lengths = append(lengths, c.Length())
				}
			}
		}
		if len(lengths) == 0 {
			t.Fatalf("no commit in blocks with delays of %v, control %v", delay, control)
		}
		slices.Sort(lengths)
		return lengths[len(lengths)/2]
	}
	seen := map[analyze.Nanos]int{}
	for _, b := range e.experiment.Blocks {
		if b.Target == sped && b.Control {
			seen[b.Delay]++
		} else if b.Target == sped {
			seen[b.Delay] += 1000
		}
	}
	if len(seen) != 3 {
		t.Errorf("blocks of a virtual speed-up have the delays %v, want three", seen)
	}
	for delay := range seen {
		if others, all := median(false, delay), median(true, delay); all < others+delay/2 {
			t.Errorf("delays of %v: a commit takes %v while the others pause, and %v in the control", delay, others, all)
		}
	}
}

// TestExperimentOnALock: the lock that threads wait for longest is found, each release of it in a treated block is
// delayed, and no other lock's.
func TestExperimentOnALock(t *testing.T) {
	t.Parallel()
	needTruth(t)
	if out, err := saidBy(exec.Command("../../fixtures/scenarios/programs/build.sh", tool.dir), commandLimit); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dir := t.TempDir()
	got := sh(t, dir, []string{"SOFTMETAL_TIMED=1"}, tool.mtrace, "experiment", "--target", "lock", "--budget", "20%",
		"-o", "t.mtrace", "--", filepath.Join(tool.dir, "scenario"), "one-lock", "--milliseconds", "4000")
	if got.exit != 0 {
		t.Fatalf("%+v", got)
	}
	e := loadExperiment(t, filepath.Join(dir, "t.mtrace"))
	if x := e.experiment; x.Threads < 2 || len(x.Targets) != 1 || x.Targets[0].Kind != wire.ExperimentLock ||
		x.Targets[0].Lock == 0 || x.Targets[0].Object == 0 {
		t.Fatalf("the experiment is %+v", x)
	}
	// an operation of the scenario takes its lock once and completes one command buffer
	sum, count := e.blocks(1)
	threads := int64(e.experiment.Threads)
	if off := sum.Occurrences - sum.Units; count == 0 || off < -threads*int64(count) || off > threads*int64(count) {
		t.Errorf("%d blocks: the lock was released %d times with a delay, and %d operations completed", count,
			sum.Occurrences, sum.Units)
	}
	if sum.Injected < sum.Delay || sum.Delay == 0 {
		t.Errorf("delays of %v together were asked for, and %v were injected", sum.Delay, sum.Injected)
	}
}

// TestExperimentOfAKilledTracer: when mtrace is killed in the middle, the program runs on without delays to its own
// end, and the unfinished trace has the blocks until then.
func TestExperimentOfAKilledTracer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command(tool.mtrace, "experiment", "--target", "commit", "-o", "t.mtrace", "--", "python3", workload(t),
		"--no-check", "--iters", "8000", "--sync-mode", "device")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), timedMetal...)
	out, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	part := filepath.Join(dir, "t.mtrace.part")
	eventually(t, "the unfinished trace has a treated block", func() bool {
		r, err := tracefile.Open(part)
		if err != nil {
			return false
		}
		defer r.Close()
		for _, p := range r.Processes() {
			if p.Experiment != nil && slices.ContainsFunc(p.Experiment.Blocks,
				func(b wire.ExperimentBlock) bool { return b.Target == 1 }) {
				return true
			}
		}
		return false
	})
	cmd.Process.Signal(syscall.SIGKILL)
	cmd.Wait()
	eventually(t, "the program ended with its own output", func() bool {
		text, _ := os.ReadFile(out.Name())
		return strings.Contains(string(text), "ops/s")
	})
	e := loadExperiment(t, part)
	if sum, count := e.blocks(1); count == 0 || sum.Injected == 0 {
		t.Errorf("%d treated blocks of the unfinished trace are %+v", count, sum)
	}
}

// eventually waits for something to become true.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(commandLimit); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

// TestExperimentOfNothing: an impossible request is one line, and the exit status stays the program's if it ran.
func TestExperimentOfNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		exit int
		says string
	}{
		{[]string{"--target", "commits", "--", "true"}, cli.ExitUsage, `unknown target "commits"`},
		{[]string{"--budget", "80%", "--", "true"}, cli.ExitUsage, "--budget 80%: give a share from 0.1% to 50%"},
		{[]string{"--budget", "x", "--", "true"}, cli.ExitUsage, "--budget x: give a share"},
		{[]string{"--duration", "-1s", "--", "true"}, cli.ExitUsage, "--duration -1s: give a time"},
		{[]string{"--progress", "mark:", "--", "true"}, cli.ExitUsage, "--progress mark:: give commands, or mark:NAME"},
		{[]string{}, cli.ExitUsage, "no program to run: mtrace experiment -- CMD"},
	} {
		got := sh(t, t.TempDir(), nil, tool.mtrace, append([]string{"experiment"}, c.args...)...)
		if got.exit != c.exit || !strings.Contains(got.stderr, c.says) || strings.Count(got.stderr, "\n") != 1 ||
			got.stdout != "" {
			t.Errorf("%q: %+v", c.args, got)
		}
	}
	for args, says := range map[string]string{
		// The rest of the message depends on whether a thread waited for a lock of the software Metal's.
		"--target lock:nobodys":                "lock:nobodys: no ",
		"--target commit@nobody":               "no thread of the program is called nobody",
		"--target commit --progress mark:step": "made no countable progress",
	} {
		line := append(append([]string{"experiment", "-o", "t.mtrace"}, strings.Fields(args)...), "--", "python3",
			workload(t), "--no-check", "--iters", "2000", "--sync-mode", "device")
		got := sh(t, t.TempDir(), timedMetal, tool.mtrace, line...)
		if got.exit != 0 || !strings.Contains(got.stderr, says) || !strings.Contains(got.stdout, "ops/s") {
			t.Errorf("%s: %+v", args, got)
		}
	}
}
