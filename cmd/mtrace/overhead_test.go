package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// BenchmarkWhole measures what all of tracing costs a program that makes a command buffer every 15 µs, as field report R1 did: the
// calls, the drainer in the program, the collector beside it, and the disk. It runs with and without mtrace run, in turn; what is
// reported of the pairs is the median. With as many threads as there are processors the drainer and the collector take their time from
// the program's.
func BenchmarkWhole(b *testing.B) {
	const commandBuffers = 60000
	client := buildShapesClient(b)
	steps := strconv.FormatFloat(printedBy(b, exec.Command(client, "bench-steps")), 'f', 0, 64)
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			command := []string{client, "bench-whole", strconv.Itoa(commandBuffers), steps, strconv.Itoa(threads)}
			var without, slower []float64
			for i := range max(b.N, 9) {
				trace := filepath.Join(b.TempDir(), strconv.Itoa(i)+".mtrace")
				bare := printedBy(b, exec.Command(command[0], command[1:]...))
				traced := printedBy(b, exec.Command(tool.mtrace, slices.Concat([]string{"run", "--no-report", "-o", trace, "--"}, command)...))
				without = append(without, bare)
				slower = append(slower, 100*(traced/bare-1))
			}
			slices.Sort(without)
			slices.Sort(slower)
			b.ReportMetric(without[len(without)/2], "ns/untraced")
			b.ReportMetric(slower[len(slower)/2], "%slower")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// buildShapesClient builds the program that the library's own benchmarks trace.
func buildShapesClient(b *testing.B) string {
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
