package main

import (
	"fmt"
	"os"
	"os/exec"
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

// BenchmarkEncoderTiming measures what --gpu-timing encoder adds to an encoder, from its making to the end of the wait for its
// command buffer: a pass descriptor instead of none, two samples, reading and writing them down in the completion handler, which
// waiters wait for. On the software Metal, whose samples cost a clock reading each.
func BenchmarkEncoderTiming(b *testing.B) {
	path, _ := listen(b)
	_, program := softMetal(b)
	run := func(timing string) float64 {
		cmd := exec.Command(program, "encoder-cost")
		cmd.Env = append(os.Environ(), "SOFTMETAL_TIMED=1", "SOFTMETAL_DURATION_US=0", "LD_PRELOAD="+library(b), "MTRACE_SOCKET="+path, "MTRACE_GPU_TIMING="+timing)
		return printed(b, cmd)
	}
	var with, without []float64
	for range max(b.N, 15) {
		with = append(with, run("encoder"))
		without = append(without, run("buffer"))
	}
	w, o := median(with), median(without)
	b.ReportMetric(w, "ns/encoder")
	b.ReportMetric(o, "ns/buffer-only")
	b.ReportMetric(w-o, "ns/added")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkStack measures what recording the stack of a dispatch adds to recording the dispatch, by how deep the stack is.
func BenchmarkStack(b *testing.B) {
	for _, depth := range []int{4, 16, 60} {
		b.Run(fmt.Sprintf("depth=%d", depth), func(b *testing.B) {
			path, _ := listen(b)
			preload, socket, scenario := "LD_PRELOAD="+library(b), "MTRACE_SOCKET="+path, []string{"bench-stack", "10000", strconv.Itoa(depth)}
			compare(b, "off", func(on bool) float64 {
				if on {
					return measure(b, scenario, preload, socket, "MTRACE_STACKS=native")
				}
				return measure(b, scenario, preload, socket)
			})
		})
	}
}

func compareRuns(b *testing.B, scenario ...string) {
	path, _ := listen(b)
	preload, socket := "LD_PRELOAD="+library(b), "MTRACE_SOCKET="+path
	compare(b, "untraced", func(on bool) float64 {
		if on {
			return measure(b, scenario, preload, socket)
		}
		return measure(b, scenario)
	})
}

// compare reports the medians of runs with and without, in turn, and what lies between them.
func compare(b *testing.B, without string, run func(on bool) float64) {
	var with, bare []float64
	for range max(b.N, 15) {
		with = append(with, run(true))
		bare = append(bare, run(false))
	}
	w, o := median(with), median(bare)
	b.ReportMetric(w, "ns/call")
	b.ReportMetric(o, "ns/"+without)
	b.ReportMetric(w-o, "ns/added")
	b.ReportMetric(0, "ns/op")
}

// measure runs the client and returns the number it prints.
func measure(b *testing.B, scenario []string, env ...string) float64 {
	b.Helper()
	cmd := client(b, scenario...)
	cmd.Env = append(os.Environ(), env...)
	return printed(b, cmd)
}

// printed is the number that a command prints.
func printed(b *testing.B, cmd *exec.Cmd) float64 {
	b.Helper()
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
