package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkWhole measures what all of tracing costs a program that makes a command buffer every 15 µs, as field report R1 did: the
// calls, the drainer in the program, the collector beside it, and the disk. It runs with and without mtrace run, in turn; what is
// reported of the pairs is the median: by how much the loop is slower, and how much more of the processors all of it takes, the start and
// the end of mtrace included. With as many threads as there are processors the drainer and the collector take their time from the
// program's. The machine must have nothing else to do: on one that has, runs without the tracer differ by more.
func BenchmarkWhole(b *testing.B) {
	const commandBuffers = 60000
	client := buildShapesClient(b)
	steps := strconv.FormatFloat(printedBy(b, exec.Command(client, "bench-steps")), 'f', 0, 64)
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			command := []string{client, "bench-whole", strconv.Itoa(commandBuffers), steps, strconv.Itoa(threads)}
			var without, slower, more []float64
			for i := range max(b.N, 9) {
				trace := filepath.Join(b.TempDir(), strconv.Itoa(i)+".mtrace")
				bare := exec.Command(command[0], command[1:]...)
				traced := exec.Command(tool.mtrace, slices.Concat([]string{"run", "--no-report", "-o", trace, "--"}, command)...)
				x, y := printedBy(b, bare), printedBy(b, traced)
				without = append(without, x)
				slower = append(slower, 100*(y/x-1))
				more = append(more, 100*(float64(processorTime(traced))/float64(processorTime(bare))-1))
			}
			for unit, values := range map[string][]float64{"ns/untraced": without, "%slower": slower, "%more-processor": more} {
				slices.Sort(values)
				b.ReportMetric(values[len(values)/2], unit)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// buildShapesClient builds the program that the library's own benchmarks trace.
func buildShapesClient(b testing.TB) string {
	b.Helper()
	dir, sources := b.TempDir(), "../../interpose/testdata/"
	shapes, client := filepath.Join(dir, "libshapes.so"), filepath.Join(dir, "client")
	for _, command := range [][]string{
		{"gcc", "-O2", "-std=gnu11", "-fPIC", "-shared", "-o", shapes, sources + "shapes.m", "-lobjc", "-lBlocksRuntime"},
		{"gcc", "-O2", "-std=gnu11", "-fobjc-exceptions", "-rdynamic", "-o", client, sources + "client.m", shapes, "-lobjc", "-lpthread"},
	} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			b.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	return client
}

// processorTime is what a command that has ended took of processors, with all that it started and waited for.
func processorTime(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// printedBy is the number that a command prints.
func printedBy(b *testing.B, cmd *exec.Cmd) float64 {
	b.Helper()
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("%v: %v", cmd.Args, err)
	}
	number, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		b.Fatal(err)
	}
	return number
}
