package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mtrace/analyze/statistics"
)

// repeats is how often a benchmark runs a program; ./build.sh bench, which has rounds, sets a smaller number.
var repeats = flag.Int("runs", 10, "how often a benchmark runs each program")

// BenchmarkWhole measures the total cost of tracing a program that makes a command buffer every 15 µs, as field report
// R1 did: the calls, the drainer in the program, the concurrent collector, and the disk. With as many threads as
// processors the drainer and the collector take their time from the program's.
func BenchmarkWhole(b *testing.B) {
	const commandBuffers = 60000
	client := buildShapesClient(b)
	steps := strings.TrimSpace(outputOf(b, exec.Command(client, "bench-steps")))
	steps, _, _ = strings.Cut(steps, ".")
	for _, threads := range threadCounts() {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			compareWhole(b, []string{client, "bench-whole", strconv.Itoa(commandBuffers), steps, strconv.Itoa(threads)},
				func(out string) float64 {
					return parse(b, out)
				})
		})
	}
}

// BenchmarkWholePython measures the same of threads of Python, which share one interpreter: each call into Metal gives
// the interpreter up and waits for it, so whatever is done with its lock held all threads wait for. Each waits for its
// own command buffers, or for all.
func BenchmarkWholePython(b *testing.B) {
	const commandBuffers = 9600 // seconds, beside which the start of mtrace (about 25 ms) is small
	b.Setenv("SOFTMETAL_LIBRARY", filepath.Join(tool.dir, "softmetal", "libsoftmetal.so"))
	// A shim of pyenv is a script whose processes load the library, too; their start would count as the interpreter's.
	python := strings.TrimSpace(outputOf(b, exec.Command("python3", "-c", "import sys; print(sys.executable)")))
	for _, mode := range []string{"event", "device"} {
		for _, threads := range threadCounts() {
			b.Run(fmt.Sprintf("sync=%s/threads=%d", mode, threads), func(b *testing.B) {
				command := []string{python, "../../fixtures/workload.py", "--op", "matmul", "--size", "64", "--json",
					"--sync-mode", mode,
					"--threads", strconv.Itoa(threads), "--iters", strconv.Itoa(commandBuffers / threads)}
				compareWhole(b, command, func(out string) float64 {
					var said struct {
						Elapsed    float64 `json:"elapsed_ns"`
						Operations float64 `json:"operations"`
					}
					if err := json.Unmarshal([]byte(out), &said); err != nil {
						b.Fatalf("%v: %s", err, out)
					}
					return said.Elapsed / said.Operations
				})
			})
		}
	}
}

// threadCounts are 1, 2, 4 … up to the number of processors.
func threadCounts() (counts []int) {
	for n := 1; n < runtime.NumCPU(); n *= 2 {
		counts = append(counts, n)
	}
	return append(counts, runtime.NumCPU())
}

// compareWhole runs a command with and without mtrace run, in turn, each first equally often; nanos extracts the time
// of one operation from the command's output. It reports medians over the pairs: how much slower the operation is, and
// how much more processor time the whole takes, including the start and the end of mtrace. The machine must be idle
// otherwise: on a busy machine runs without the tracer differ by more.
func compareWhole(b *testing.B, command []string, nanos func(string) float64) {
	var without, slower, more []float64
	for i := range max(b.N, *repeats) {
		trace := filepath.Join(b.TempDir(), strconv.Itoa(i)+".mtrace")
		bare := exec.Command(command[0], command[1:]...)
		traced := exec.Command(tool.mtrace, slices.Concat([]string{"run", "--no-report", "-o", trace, "--"}, command)...)
		took := map[*exec.Cmd]float64{}
		for _, cmd := range []*exec.Cmd{bare, traced, bare}[i%2 : i%2+2] {
			took[cmd] = nanos(outputOf(b, cmd))
		}
		without = append(without, took[bare])
		slower = append(slower, 100*(took[traced]/took[bare]-1))
		more = append(more, 100*(float64(processorTime(traced))/float64(processorTime(bare))-1))
	}
	for unit, values := range map[string][]float64{"ns/untraced": without, "%slower": slower, "%more-processor": more} {
		b.ReportMetric(statistics.Median(values), unit)
	}
	b.ReportMetric(0, "ns/op")
}

// shapesClient builds the client of interpose/testdata once, and a library with the classes that it needs in the same
// folder.
var shapesClient = sync.OnceValues(func() (string, error) {
	folder := filepath.Join(tool.dir, "shapes")
	return filepath.Join(folder, "client"), errors.Join(os.Mkdir(folder, 0o755), compileShapes(folder))
})

// buildShapesClient returns the path of the client.
func buildShapesClient(b testing.TB) string {
	b.Helper()
	client, err := shapesClient()
	if err != nil {
		b.Fatal(err)
	}
	return client
}

// compileShapes builds the client and its library in a folder.
func compileShapes(folder string) error {
	shapes, client, sources := filepath.Join(folder, "libshapes.so"), filepath.Join(folder, "client"),
		"../../interpose/testdata/"
	for _, command := range [][]string{
		{"gcc", "-O2", "-std=gnu11", "-fPIC", "-shared", "-o", shapes, sources + "shapes.m", "-lobjc", "-lBlocksRuntime"},
		{"gcc", "-O2", "-std=gnu11", "-fobjc-exceptions", "-rdynamic", "-o", client, sources + "client.m", shapes, "-lobjc",
			"-lpthread"},
	} {
		if out, err := saidBy(exec.Command(command[0], command[1:]...), commandLimit); err != nil {
			return fmt.Errorf("%v: %w\n%s", command, err, out)
		}
	}
	return nil
}

// processorTime returns the processor time of a command that has ended, with its child processes.
func processorTime(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// outputOf is what a command prints.
func outputOf(b *testing.B, cmd *exec.Cmd) string {
	b.Helper()
	out, err := printedBy(cmd, commandLimit)
	if err != nil {
		b.Fatalf("%v: %v", cmd.Args, err)
	}
	return string(out)
}

func parse(b *testing.B, out string) float64 {
	b.Helper()
	number, err := strconv.ParseFloat(strings.TrimSpace(out), 64)
	if err != nil {
		b.Fatal(err)
	}
	return number
}
