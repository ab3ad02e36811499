package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// soakVariable is how long TestSoak continues, as Go writes durations: `./build.sh soak` sets it to ten minutes.
const soakVariable = "MTRACE_SOAK"

var setPipeline = wire.MustLookup(wire.FamilyEncoder, "setComputePipelineState:")

// soaking is a command that runs the client's load that continues.
func soaking(t *testing.T, options ...string) []string {
	t.Helper()
	needTruth(t)
	needRawmetal(t)
	folder, err := filepath.Abs(shaders)
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{filepath.Join(tool.dir, "rawmetal"), "soak", "--shaders", folder}, options...)
}

// made returns the numbers of calls that the loads printed.
func made(t *testing.T, stdout string) (loads, pipelines int) {
	t.Helper()
	for _, line := range strings.Split(strings.TrimSpace(stdout), "\n") {
		var said struct {
			Metric  string
			Samples []float64
		}
		if err := json.Unmarshal([]byte(line), &said); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if said.Metric == "pipelines_set" {
			loads, pipelines = loads+1, pipelines+int(said.Samples[0])
		}
	}
	return loads, pipelines
}

// A counted trace is how many calls there are in it, by arithmetic on all records.
type counted struct {
	processes, pipelines int
	lost                 uint64
	bytes                int64
}

func countTrace(t *testing.T, path string) (c counted) {
	t.Helper()
	trace, err := tracefile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	if cut, why := trace.Truncated(); cut {
		t.Error(why)
	}
	for _, s := range trace.Streams() {
		c.lost += s.Missing
		if err := trace.Read(s, func(records []wire.Record) error {
			for i := range records {
				if records[i].Call == setPipeline {
					c.pipelines++
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range trace.Processes() {
		c.lost += p.End.Lost()
		if p.Clock != 0 {
			c.processes++
		}
	}
	c.bytes = trace.Size()
	return c
}

// Two hundred processes at once are in one trace, with every call of each.
func TestTwoHundredProcesses(t *testing.T) {
	const processes = 200
	load := soaking(t, "--threads", "2", "--rate", "10000", "--iters", "500", "--budget-ms", "1000")
	dir := t.TempDir()
	script := fmt.Sprintf("i=0; while [ $i -lt %d ]; do %s > out.$i || echo failed $i & i=$((i+1)); done; wait; cat "+
		"out.*", processes, strings.Join(load, " "))
	got := sh(t, dir, nil, tool.mtrace, "run", "--no-report", "-o", "t.mtrace", "--", "sh", "-c", script)
	loads, pipelines := made(t, got.stdout)
	if got.exit != 0 || got.stderr != "" || loads != processes {
		t.Fatalf("status %d, %d loads: %s", got.exit, loads, got.stderr)
	}
	c := countTrace(t, filepath.Join(dir, "t.mtrace"))
	if c.processes != processes || c.pipelines != pipelines || c.lost != 0 {
		t.Errorf("%d processes, %d calls of %d, %d lost", c.processes, c.pipelines, pipelines, c.lost)
	}
}

// More threads are alive at once than can be recorded: the program continues, their calls are counted as lost, and
// every message about it gives the reason. The messages once said that buffers were full, and advised --on-full block
// to users who had set it. A workload that runs repeatedly in one process, as TestServe's does, must not accumulate
// threads: it kept its queues, whose threads were 256 after a second on a fast machine.
func TestMoreThreadsThanAreRecorded(t *testing.T) {
	needTruth(t)
	dir := t.TempDir()
	got := sh(t, dir, nil, tool.mtrace, "run", "--no-report", "--on-full", "block", "-o", "t.mtrace", "--", "python3",
		workload(t), "--op", "axpy", "--size", "64",
		"--threads", "300", "--iters", "3", "--sync-mode", "event")
	c := countTrace(t, filepath.Join(dir, "t.mtrace"))
	if got.exit != 0 || c.lost == 0 {
		t.Fatalf("status %d, %d lost: %s", got.exit, c.lost, got.stderr)
	}
	report := sh(t, dir, nil, tool.mtrace, "report", "t.mtrace").stdout
	for _, text := range []string{got.stderr, strings.Join(strings.Fields(report), " ")} {
		if !strings.Contains(text, "256 threads of a process") || strings.Contains(text, "--on-full") {
			t.Errorf("%d lost, and the report has: %s", c.lost, text)
		}
	}
	dir = t.TempDir()
	again := fmt.Sprintf("import runpy, sys\nfor i in range(150):\n  try: runpy.run_path(%q, run_name='__main__')\n  "+
		"except SystemExit as end: assert not end.code", workload(t))
	got = sh(t, dir, nil, tool.mtrace, "run", "--no-report", "-o", "t.mtrace", "--", "python3", "-c", again, "--op",
		"axpy", "--size", "64", "--threads", "1",
		"--iters", "1", "--sync-mode", "event")
	if c := countTrace(t, filepath.Join(dir, "t.mtrace")); got.exit != 0 || c.lost > 0 {
		t.Errorf("status %d, %d lost: %s", got.exit, c.lost, got.stderr)
	}
}

// Bursts at ten million calls a second, far longer than the rings: records without space are dropped and counted to the
// last call; with --on-full block none are.
func TestBursts(t *testing.T) {
	load := soaking(t, "--threads", "1", "--rate", "10000000", "--iters", "2000000", "--rest-ms", "200", "--budget-ms",
		"1500")
	for _, mode := range []string{"drop", "block"} {
		dir := t.TempDir()
		got := sh(t, dir, nil, tool.mtrace, append([]string{"run", "--no-report", "--on-full", mode, "-o", "t.mtrace", "--"},
			load...)...)
		_, pipelines := made(t, got.stdout)
		c := countTrace(t, filepath.Join(dir, "t.mtrace"))
		t.Logf("%s: %d calls, %d in the trace, %d lost, %d bytes", mode, pipelines, c.pipelines, c.lost, c.bytes)
		// A dropped record may belong to a call of another kind: a few for each command buffer.
		if got.exit != 0 || pipelines < 2_000_000 || c.pipelines+int(c.lost) < pipelines || c.pipelines > pipelines ||
			c.lost > uint64(pipelines-c.pipelines)+100 {
			t.Errorf("%s: %d calls, %d in the trace and %d lost: %s", mode, pipelines, c.pipelines, c.lost, got.stderr)
		}
		if mode == "block" && c.lost != 0 {
			t.Errorf("%d lost while the program waited for room", c.lost)
		}
	}
}

// resident is the memory that a process has, in bytes; 0 when it is gone.
func resident(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(text), "\n") {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "Pss:" {
			kib, _ := strconv.ParseInt(fields[1], 10, 64)
			return kib << 10
		}
	}
	return 0
}

// most is the largest of the part of the samples from one share of them to another.
func most(samples []int64, from, to float64) int64 {
	return slices.Max(samples[int(from*float64(len(samples))):int(to*float64(len(samples)))])
}

// The tracer does not grow with the length of a run. With two million calls a second for the requested time, the memory
// of the program and of the collector is the same in the last third as in the second. A relay in between changes
// nothing.
func TestSoak(t *testing.T) {
	long := 6 * time.Second
	if text := os.Getenv(soakVariable); text != "" {
		var err error
		if long, err = time.ParseDuration(text); err != nil || long < time.Second {
			t.Fatalf("%s=%q is no duration of at least a second: %v", soakVariable, text, err)
		}
	}
	load := soaking(t, "--threads", "2", "--rate", "1000000", "--iters", "20000", "--budget-ms",
		fmt.Sprint(long.Milliseconds()))
	for _, way := range []string{"to a file", "to a collector"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel() // the memory does not depend on the load
			dir := t.TempDir()
			var env []string
			args, path := []string{"run", "--no-report", "-o", "t.mtrace"}, filepath.Join(dir, "t.mtrace")
			var far *collecting
			if way == "to a collector" {
				_, env = spoolEnvironment(t)
				far = startCollecting(t, dir, env, "--listen", "tcp://127.0.0.1:0", "-o", "traces")
				args, path = []string{"run", "--collector", far.address, "--collector-spool", "64M"},
					filepath.Join(dir, "traces", "rawmetal.mtrace")
			}
			cmd := exec.Command(tool.mtrace, append(append(args, "--"), load...)...)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
			end := runs(t, cmd)
			// Go's os package starts a child that ends at once, to test for pidfds in the kernel. A slow machine found
			// that child first, and looked at nothing else for the rest of the run: a process that is gone is not the
			// program.
			program := 0
			watched := map[string]func() int{"the collector": func() int { return cmd.Process.Pid }, "the program": func() int {
				if resident(program) == 0 {
					if children := childrenOf(t, cmd.Process.Pid); len(children) > 0 {
						program = children[0]
					}
				}
				return program
			}}
			if far != nil {
				watched["the collector far away"] = func() int { return far.cmd.Process.Pid }
			}
			memory := map[string][]int64{}
			for began := time.Now(); time.Since(began) < long; time.Sleep(long / 300) {
				for name, pid := range watched {
					if n := resident(pid()); n > 0 {
						memory[name] = append(memory[name], n)
					}
				}
			}
			got := end()
			_, pipelines := made(t, got.stdout)
			c := countTrace(t, path)
			t.Logf("%v: %d calls (%.2f million a second), %d in the trace, %d lost, %.2f bytes each", long, pipelines,
				float64(pipelines)/long.Seconds()/1e6, c.pipelines, c.lost,
				float64(c.bytes)/float64(max(c.pipelines, 1)))
			if got.exit != 0 || c.pipelines > pipelines || c.pipelines+int(c.lost) < pipelines {
				t.Errorf("%d calls, %d in the trace and %d lost: %s", pipelines, c.pipelines, c.lost, got.stderr)
			}
			for name, samples := range memory {
				if len(samples) < 20 {
					t.Errorf("%s was looked at %d times only", name, len(samples))
					continue
				}
				second, third := most(samples, 1./3, 2./3), most(samples, 2./3, 1)
				t.Logf("%s: %.1f MiB in the second third, %.1f MiB in the last", name, float64(second)/(1<<20),
					float64(third)/(1<<20))
				if third > second+second/10+8<<20 {
					t.Errorf("%s grows: %d bytes, then %d", name, second, third)
				}
			}
		})
	}
}
