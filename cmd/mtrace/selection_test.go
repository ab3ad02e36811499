package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/fixtures/tracesim"
)

// inProcess runs a command without a process of its own.
func inProcess(t *testing.T, args ...string) (exit int, stdout, stderr []byte) {
	t.Helper()
	dir := t.TempDir()
	file := func(name string) *os.File {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	std := cli.Stdio{In: os.Stdin, Out: file("out"), Err: file("err")}
	exit = dispatch(std, args)
	for f, into := range map[*os.File]*[]byte{std.Out: &stdout, std.Err: &stderr} {
		f.Close()
		content, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		os.Remove(f.Name())
		*into = content
	}
	return exit, stdout, stderr
}

// tracesToAttack returns the paths of traces, and the number of attacks on all of them together. The traces are the
// recorded ones in the folder MTRACE_KEPT, or else simulated ones. MTRACE_ATTACKS overrides the number.
func tracesToAttack(t *testing.T, attacks int) ([]string, int) {
	t.Helper()
	if n, err := strconv.Atoi(os.Getenv("MTRACE_ATTACKS")); err == nil {
		attacks = n
	}
	if dir := os.Getenv("MTRACE_KEPT"); dir != "" {
		paths, err := filepath.Glob(filepath.Join(dir, "*.mtrace"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no traces in %s", dir)
		}
		return paths, attacks
	}
	var paths []string
	for _, i := range []int{4, 12, 15} { // small ones
		paths = append(paths, tracesim.Scenarios[i].Build(1).Run(t))
	}
	return paths, attacks
}

// TestSelections: for any part of a trace, the parts of each thread's time add up to its window, no share is outside of
// 0 to 1, and an empty part is refused in one line. Once a range without events was reported as a program that nothing
// holds back, and a missing thread as a table without lines.
func TestSelections(t *testing.T) {
	paths, attacks := tracesToAttack(t, 60)
	random := rand.New(rand.NewPCG(11, 11))
	refused := 0
	for range attacks {
		path := paths[random.IntN(len(paths))]
		trace, err := analyze.Load(path, analyze.Options{})
		if err != nil {
			t.Fatal(err)
		}
		args := []string{"report", "--json"}
		instant := func() string {
			return fmt.Sprintf("%dns", random.Int64N(int64(trace.Run.Length)*5/4+1))
		}
		if random.IntN(3) > 0 {
			args = append(args, "--from", instant())
		}
		if random.IntN(3) > 0 {
			args = append(args, "--to", instant())
		}
		number := func(there int) string { return fmt.Sprint(there + random.IntN(5)/4*100_000) } // or one that is not there
		if random.IntN(3) == 0 && len(trace.Threads) > 0 {
			args = append(args, "--thread", number(int(trace.Threads[random.IntN(len(trace.Threads))].ID)))
		}
		if random.IntN(3) == 0 && len(trace.Queues) > 0 {
			args = append(args, "--queue", number(int(trace.Queues[random.IntN(len(trace.Queues))].ID)))
		}
		if random.IntN(3) == 0 {
			args = append(args, "--pid", number(trace.Processes[random.IntN(len(trace.Processes))].ID))
		}
		args = append(args, path)
		exit, stdout, stderr := inProcess(t, args...)
		if exit == cli.ExitUsage {
			refused++
			if len(stdout) > 0 || bytes.Count(stderr, []byte("\n")) != 1 {
				t.Fatalf("%q: exit status 2, %d bytes printed, and %q", args, len(stdout), stderr)
			}
			continue
		}
		if exit != cli.ExitDone || len(stderr) > 0 {
			t.Fatalf("%q: exit status %d, %q", args, exit, stderr)
		}
		var document map[string]any
		if err := json.Unmarshal(stdout, &document); err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		checkShares(t, fmt.Sprintf("%q", args), document)
		checkPartitions(t, stdout, args)
	}
	if refused == 0 || refused == attacks {
		t.Errorf("%d of %d selections were refused", refused, attacks)
	}
}

// checkPartitions checks that each thread's time is split exactly.
func checkPartitions(t *testing.T, report []byte, args []string) {
	t.Helper()
	var r struct {
		Threads []struct {
			TID    uint64
			Window int64 `json:"window_ns"`
			Time   map[string]int64
		}
	}
	if err := json.Unmarshal(report, &r); err != nil {
		t.Fatal(err)
	}
	for _, th := range r.Threads {
		sum := int64(0)
		for part, ns := range th.Time {
			if ns < 0 {
				t.Fatalf("%q: thread %d: %s is %d", args, th.TID, part, ns)
			}
			sum += ns
		}
		if sum != th.Window || len(th.Time) == 0 {
			t.Fatalf("%q: thread %d: the parts add up to %d of %d ns", args, th.TID, sum, th.Window)
		}
	}
}

// checkShares checks all that are shares in a document.
func checkShares(t *testing.T, where string, value any) {
	t.Helper()
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if n, is := inner.(float64); is && (strings.HasSuffix(key, "share") || key == "confidence" || key == "p_value") &&
				(n < 0 || n > 1) {
				t.Fatalf("%s: %s is %v", where, key, n)
			}
			checkShares(t, where+"."+key, inner)
		}
	case []any:
		for i, inner := range v {
			checkShares(t, fmt.Sprintf("%s[%d]", where, i), inner)
		}
	}
}
