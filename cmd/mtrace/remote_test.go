package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mtrace/analyze"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/fixtures/relaytest"
)

const relayToken = "a token for these tests"

// spoolsIn keeps the spools of a test in a folder of its own.
func spoolsIn(t *testing.T) (folder string) {
	t.Helper()
	folder, env := spoolEnvironment(t)
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		t.Setenv(name, value)
	}
	return folder
}

// spoolEnvironment returns the environment in which spools are kept in a new folder, and that folder.
func spoolEnvironment(t *testing.T) (folder string, env []string) {
	t.Helper()
	home := t.TempDir()
	caches := filepath.Join(home, "Library", "Caches") // so it is on macOS
	return filepath.Join(caches, "mtrace", "spool"), []string{"HOME=" + home, "XDG_CACHE_HOME=" + caches,
		"MTRACE_TOKEN=" + relayToken}
}

// sendingWorkload is a run of the workload that sends its trace to a collector, with the truth about its calls in a
// file.
func sendingWorkload(t *testing.T, dir, address, truth string, iterations int, flags ...string) *exec.Cmd {
	args := append([]string{"run", "--collector", "tcp://" + strings.TrimPrefix(address, "tcp://")}, flags...)
	args = append(args, "--", "python3", workload(t), "--op", "axpy", "--size", "4096", "--threads", "4", "--iters",
		fmt.Sprint(iterations), "--sync-mode", "event")
	cmd := exec.Command(tool.mtrace, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SOFTMETAL_TRUTH="+truth)
	return cmd
}

// runs starts a command and returns a function that waits for its end.
func runs(t *testing.T, cmd *exec.Cmd) (end func() outcome) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	startInTime(t, cmd)
	return func() outcome {
		cmd.Wait()
		return outcome{stdout.String(), stderr.String(), cli.ExitStatus(waitStatus(cmd))}
	}
}

// checkTruth checks that a trace has every call that returned, once and in its order.
func checkTruth(t *testing.T, tracePath, truthPath string) {
	t.Helper()
	got, trace := traceSequences(t, tracePath)
	want, _ := truthSequences(t, truthPath)
	if len(want) < 2 || trace.Source.Truncated || trace.Recording.Lost.Records != 0 {
		t.Errorf("%d threads in truth, cut %v, %d lost", len(want), trace.Source.Truncated, trace.Recording.Lost.Records)
	}
	for tid := range want {
		if i := firstDifference(got[tid], want[tid]); i >= 0 {
			t.Errorf("thread %d: %d calls in the trace, %d in truth, other ones from call %d on", tid, len(got[tid]),
				len(want[tid]), i)
		}
	}
}

// sizeOf is the size of the only trace in a folder; 0 when there is none.
func sizeOf(dir string) int64 {
	paths, _ := filepath.Glob(filepath.Join(dir, "*.mtrace"))
	if len(paths) != 1 {
		return 0
	}
	stat, err := os.Stat(paths[0])
	if err != nil {
		return 0
	}
	return stat.Size()
}

// A program that is traced on one machine has its complete trace on the other, and notices nothing.
func TestRunSendsAway(t *testing.T) {
	spools, dir := spoolsIn(t), t.TempDir()
	c := startCollecting(t, dir, nil, "--listen", "tcp://127.0.0.1:0", "-o", "traces")
	run := []string{"run", "--collector", c.address, "--", "python3", workload(t), "--op", "axpy", "--size", "4096",
		"--threads", "2", "--iters", "30", "--json"}
	sent := sh(t, dir, nil, tool.mtrace, run...)
	if sent.exit != 0 || sent.stderr != "" || strings.Count(sent.stdout, "\n") != 1 {
		t.Errorf("%+v", sent)
	}
	if got := sh(t, dir, []string{"MTRACE_TOKEN="}, tool.mtrace, run...); got.exit != 125 ||
		!strings.Contains(got.stderr, "MTRACE_TOKEN") {
		t.Errorf("no token: %+v", got)
	}
	if got := sh(t, dir, nil, tool.mtrace, "run", "--collector", c.address, "--", "/nonexistent"); got.exit != 127 {
		t.Errorf("no program: %+v", got)
	}
	if left, _ := os.ReadDir(spools); len(left) > 0 {
		t.Errorf("spools are left: %v", left)
	}
	got := c.interrupt(t)
	trace, err := analyze.Load(filepath.Join(dir, strings.TrimSpace(got.stdout)), analyze.Options{})
	if err != nil || trace.Source.Truncated || len(trace.CommandBuffers) < 60 || trace.Recording.Lost.Records != 0 {
		t.Errorf("%v: %+v", err, got)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.mtrace*")); len(left) > 0 {
		t.Errorf("left here: %v", left)
	}
}

// If no collector accepts the trace, the program runs as usual, and the trace stays here: a line gives its path, and
// the reason.
func TestRunKeepsWhatNobodyTakes(t *testing.T) {
	spools, dir := spoolsIn(t), t.TempDir()
	c := startCollecting(t, dir, nil, "--listen", "tcp://127.0.0.1:0", "-o", "traces")
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and never says a word
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for name, k := range map[string]struct{ address, token, wait, says string }{
		"a wrong token":  {c.address, "another token altogether", "1h", "does not know the token"},
		"nobody there":   {"tcp://127.0.0.1:1", relayToken, "100ms", "connection refused"},
		"somebody mute":  {"tcp://" + silent.Addr().String(), relayToken, "100ms", "it did not answer yet"},
		"no such name":   {"tcp://mtrace.invalid:7070", relayToken, "100ms", "mtrace.invalid"},
		"no wait at all": {"tcp://127.0.0.1:1", relayToken, "0", "does not have the whole trace"},
	} {
		t.Run(name, func(t *testing.T) {
			here, truth := t.TempDir(), filepath.Join(t.TempDir(), "truth")
			cmd := sendingWorkload(t, here, k.address, truth, 30, "--collector-wait", k.wait)
			cmd.Env = append(cmd.Env, "MTRACE_TOKEN="+k.token)
			got := runs(t, cmd)()
			path := regexp.MustCompile(`the trace was not sent completely, and is now in (\S+\.mtrace): ` +
				`the collector at `).FindStringSubmatch(got.stderr)
			if got.exit != 0 || path == nil || !strings.Contains(got.stderr, k.says) || strings.Count(got.stderr, "\n") != 1 {
				t.Fatalf("%+v", got)
			}
			checkTruth(t, filepath.Join(here, path[1]), truth)
		})
	}
	if left, _ := os.ReadDir(spools); len(left) > 0 {
		t.Errorf("spools are left: %v", left)
	}
}

// Connections without a token occupied all slots, and no program was started for ten seconds, or at all.
func TestRunStartsAmongStrangers(t *testing.T) {
	spoolsIn(t)
	dir, truth := t.TempDir(), filepath.Join(t.TempDir(), "truth")
	c := startCollecting(t, dir, nil, "--listen", "tcp://127.0.0.1:0", "-o", "traces")
	go func() { // its warnings must not fill the pipe
		for {
			if _, err := c.stderr.ReadString('\n'); err != nil {
				return
			}
		}
	}()
	for range 300 {
		idle, err := net.Dial("tcp", strings.TrimPrefix(c.address, "tcp://"))
		if err != nil {
			t.Fatal(err)
		}
		defer idle.Close()
	}
	if got := runs(t, sendingWorkload(t, dir, c.address, truth, 30))(); got.exit != 0 || got.stderr != "" {
		t.Errorf("%+v", got)
	}
	paths, _ := filepath.Glob(filepath.Join(dir, "traces", "*.mtrace"))
	if len(paths) != 1 {
		t.Fatalf("%q", paths)
	}
	checkTruth(t, paths[0], truth)
}

// The collector is killed while it receives, twice, and restarted on the same address: the trace there is complete.
func TestCollectorKilledWhileItReceives(t *testing.T) {
	needTruth(t)
	spoolsIn(t)
	dir, truth := t.TempDir(), filepath.Join(t.TempDir(), "truth")
	traces := filepath.Join(dir, "traces")
	c := startCollecting(t, dir, nil, "--listen", "tcp://127.0.0.1:0", "-o", "traces")
	end := runs(t, sendingWorkload(t, dir, c.address, truth, 6000, "--collector-wait", "30s"))
	for range 2 {
		before := sizeOf(traces)
		waitFor(t, "a part of the trace", func() bool { return sizeOf(traces) > before+10_000 })
		c.cmd.Process.Kill()
		c.cmd.Wait()
		time.Sleep(200 * time.Millisecond)
		c = startCollecting(t, dir, nil, "--listen", c.address, "-o", "traces")
	}
	if got := end(); got.exit != 0 || got.stderr != "" {
		t.Errorf("%+v", got)
	}
	got := c.interrupt(t)
	if got.exit != 0 || strings.Count(got.stdout, ".mtrace\n") != 1 {
		t.Fatalf("%+v", got)
	}
	checkTruth(t, filepath.Join(dir, strings.TrimSpace(got.stdout)), truth)
	if left, _ := filepath.Glob(filepath.Join(traces, ".*")); len(left) > 0 {
		t.Errorf("notes are left: %q", left)
	}
}

// The network between the two is cut repeatedly, in every possible manner: the trace is complete.
func TestNetworkCutWhileSending(t *testing.T) {
	needTruth(t)
	spoolsIn(t)
	dir, truth := t.TempDir(), filepath.Join(t.TempDir(), "truth")
	c := startCollecting(t, dir, nil, "--listen", "tcp://127.0.0.1:0", "-o", "traces")
	p := relaytest.NewProxy(t, strings.TrimPrefix(c.address, "tcp://"))
	cmd := sendingWorkload(t, dir, p.Address(), truth, 5000, "--collector-wait", "30s")
	end := runs(t, cmd)
	ended, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		random := rand.New(rand.NewPCG(3, 4))
		for {
			select {
			case <-ended:
				return
			case <-time.After(time.Duration(20+random.IntN(100)) * time.Millisecond):
			}
			switch random.IntN(3) {
			case 0:
				p.Reset()
			case 1:
				p.HalfClose()
			case 2:
				p.Hang(true)
				time.Sleep(50 * time.Millisecond)
				p.Reset()
				p.Hang(false)
			}
		}
	}()
	waitFor(t, "some cuts", func() bool { return p.Count.Load() > 5 })
	close(ended)
	<-stopped
	if got := end(); got.exit != 0 || got.stderr != "" {
		t.Errorf("%+v", got)
	}
	got := c.interrupt(t)
	checkTruth(t, filepath.Join(dir, strings.TrimSpace(got.stdout)), truth)
}

// A full spool costs calls. The report's first lines have their number, and recorded and lost calls add up to the
// truth.
func TestSpoolFullIsSaid(t *testing.T) {
	needTruth(t)
	spoolsIn(t)
	dir, truth := t.TempDir(), filepath.Join(t.TempDir(), "truth")
	got := runs(t, sendingWorkload(t, dir, "127.0.0.1:1", truth, 2000, "--collector-wait", "0", "--collector-spool",
		"96K"))()
	if got.exit != 0 || !strings.Contains(got.stderr,
		"were left out: the spool of 96 KiB was full: the collector at 127.0.0.1:1") {
		t.Fatalf("%+v", got)
	}
	paths, _ := filepath.Glob(filepath.Join(dir, "*.mtrace"))
	if len(paths) != 1 {
		t.Fatalf("%q", paths)
	}
	report := sh(t, dir, nil, tool.mtrace, "report", paths[0])
	head := strings.Join(strings.SplitN(report.stdout, "\n", 12)[:11], "\n")
	if strings.Contains(head, "none lost") || !regexp.MustCompile(`[\d,]+ calls, [\d,]+ RECORDS LOST`).MatchString(head) {
		t.Errorf("the report begins so:\n%s", head)
	}
	calls, trace := traceSequences(t, paths[0])
	want, _ := truthSequences(t, truth)
	here, there := 0, 0
	for tid := range want {
		here, there = here+len(calls[tid]), there+len(want[tid])
	}
	if trace.Recording.Lost.Records == 0 || here >= there {
		t.Errorf("%d of %d calls are there, %d records are said to be lost", here, there, trace.Recording.Lost.Records)
	}
}

// An mtrace that is killed leaves its spool; the next one turns it into a trace and prints the path.
func TestSpoolOfKilledMtrace(t *testing.T) {
	spools, dir := spoolsIn(t), t.TempDir()
	cmd := sendingWorkload(t, dir, "127.0.0.1:1", filepath.Join(dir, "truth"), 1_000_000)
	end := runs(t, cmd)
	waitFor(t, "a spool with something in it", func() bool {
		files, _ := filepath.Glob(filepath.Join(spools, "run-*", strings.Repeat("[0-9]", 20)))
		if len(files) == 0 {
			return false
		}
		stat, err := os.Stat(files[0])
		return err == nil && stat.Size() > 20_000
	})
	children := childrenOf(t, cmd.Process.Pid)
	cmd.Process.Kill()
	for _, pid := range children {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	end()
	got := sh(t, dir, nil, tool.mtrace, "run", "--collector", "tcp://127.0.0.1:1", "--collector-wait", "0", "--", "true")
	found := regexp.MustCompile(`an earlier mtrace \(process (\d+)\) was killed while it sent the trace of python3 to ` +
		`127.0.0.1:1: that trace is now (\S+\.mtrace);`).FindStringSubmatch(got.stderr)
	if got.exit != 0 || found == nil || found[1] != fmt.Sprint(cmd.Process.Pid) {
		t.Fatalf("%+v", got)
	}
	trace, err := analyze.Load(found[2], analyze.Options{})
	if err != nil || !trace.Source.Truncated || len(trace.CommandBuffers) == 0 {
		t.Errorf("%v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(spools, "run-*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// Interrupting the wait for a collector writes the trace here, at once. An interrupt between the program's end and that
// wait ended mtrace, without a trace, without a message and without the program's own status: seen once on a busy
// machine.
func TestWaitForCollectorInterrupted(t *testing.T) {
	spoolsIn(t)
	got := interruptedAfter(t, t.TempDir(), "--collector", "tcp://127.0.0.1:1", "--collector-wait", "1h")
	if got.exit != 3 || !strings.Contains(got.stderr, "the trace was not sent completely") {
		t.Errorf("%+v", got)
	}
}

// So it ended mtrace before the trace had its name.
func TestInterruptedAfterTheProgram(t *testing.T) {
	dir := t.TempDir()
	got := interruptedAfter(t, dir, "-o", "own.mtrace", "--no-report")
	if got.exit != 3 || got.stderr != "" {
		t.Errorf("%+v", got)
	}
	if _, err := analyze.Load(filepath.Join(dir, "own.mtrace"), analyze.Options{}); err != nil {
		t.Error(err)
	}
}

// interruptedAfter runs mtrace with these flags over a program that ends with status 3, and interrupts it without a
// pause from the program's last instant until the end.
func interruptedAfter(t *testing.T, dir string, flags ...string) outcome {
	t.Helper()
	ready := filepath.Join(t.TempDir(), "ready")
	cmd := exec.Command(tool.mtrace, slices.Concat([]string{"run"}, flags,
		[]string{"--", "sh", "-c", "trap '' INT; touch " + ready + "; exit 3"})...)
	cmd.Dir = dir
	end := runs(t, cmd)
	waitFor(t, "the program", func() bool { _, err := os.Stat(ready); return err == nil })
	done := make(chan outcome, 1)
	go func() { done <- end() }()
	for {
		cmd.Process.Signal(os.Interrupt)
		select {
		case got := <-done:
			return got
		case <-time.After(100 * time.Microsecond):
		}
	}
}
