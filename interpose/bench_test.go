package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// BenchmarkCall measures what recording adds to a call that does nothing: nanoseconds per call on 1, 2 and 4 threads, traced and
// untraced runs in turn, medians. A collector is connected and reads. The rings are never full: each run makes fewer calls than
// one holds.
func BenchmarkCall(b *testing.B) {
	for _, clock := range []string{"tsc", "nanoseconds"} {
		for _, threads := range []int{1, 2, 4} {
			b.Run(fmt.Sprintf("clock=%s/threads=%d", clock, threads), func(b *testing.B) {
				b.Setenv("MTRACE_CLOCK", clock)
				compareRuns(b, "bench", "60000", strconv.Itoa(threads))
			})
		}
	}
}

// BenchmarkLock measures what a mutex that nobody else wants costs more in a process that uses Metal.
func BenchmarkLock(b *testing.B) { compareRuns(b, "bench-lock", "1000000") }

// BenchmarkCommit measures what recording adds to a commit with its completion handler: two calls and two records of four.
func BenchmarkCommit(b *testing.B) { compareRuns(b, "bench-commit", "5000") }

// BenchmarkCommandBuffer measures what recording adds to one command buffer's eight calls and its handler together. A loop that
// makes a command buffer every 15 µs, as fast as a Mac's, is slowed by this much in 15000.
func BenchmarkCommandBuffer(b *testing.B) { compareRuns(b, "bench-loop", "4000") }

func compareRuns(b *testing.B, scenario ...string) {
	path, _ := listen(b)
	preload, socket := "LD_PRELOAD="+library(b), "MTRACE_SOCKET="+path
	var traced, untraced []float64
	for range max(b.N, 15) {
		traced = append(traced, measure(b, scenario, preload, socket))
		untraced = append(untraced, measure(b, scenario))
	}
	t, u := median(traced), median(untraced)
	b.ReportMetric(t, "ns/call")
	b.ReportMetric(u, "ns/untraced")
	b.ReportMetric(t-u, "ns/added")
	b.ReportMetric(0, "ns/op")
}

// measure runs the client and returns the number it prints.
func measure(b *testing.B, scenario []string, env ...string) float64 {
	b.Helper()
	cmd := client(b, scenario...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	ns, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		b.Fatal(err)
	}
	return ns
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
