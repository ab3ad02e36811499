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
				path, _ := listen(b)
				preload, socket := "LD_PRELOAD="+library(b), "MTRACE_SOCKET="+path
				var traced, untraced []float64
				for range max(b.N, 15) {
					traced = append(traced, perCall(b, threads, preload, socket, "MTRACE_CLOCK="+clock))
					untraced = append(untraced, perCall(b, threads))
				}
				t, u := median(traced), median(untraced)
				b.ReportMetric(t, "ns/call")
				b.ReportMetric(u, "ns/untraced")
				b.ReportMetric(t-u, "ns/added")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

func perCall(b *testing.B, threads int, env ...string) float64 {
	b.Helper()
	cmd := client(b, "bench", "60000", strconv.Itoa(threads))
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
