package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// runs is how often a benchmark runs a program; ./build.sh bench, which has rounds, asks for fewer.
var runs = flag.Int("runs", 15, "how often a benchmark runs each program")

// BenchmarkCall measures the cost that recording adds to a call that does nothing: nanoseconds per call on 1, 2 and 4
// threads, in the threads' own processor time, medians. A collector is connected and reads. The rings are never full:
// each run makes fewer calls than one holds.
//
// added-growth is the growth of the added cost from 1 to 4 threads, untraced-growth the growth of the call itself.
// clock is the cost of two clock readings in a program without a tracer, least the cost of these and a record, and
// machine-growth is the growth of least: where threads share cores, or cores a cache, even that grows, and no tracer
// can add, or grow by, less. All of them run in turn.
func BenchmarkCall(b *testing.B) {
	counts := []int{1, 2, 4}
	for _, clock := range []string{"tsc", "nanoseconds"} {
		b.Run("clock="+clock, func(b *testing.B) {
			path, _ := listen(b)
			traced := []string{"LD_PRELOAD=" + library(b), "MTRACE_SOCKET=" + path, "MTRACE_CLOCK=" + clock}
			call, bare, read, least := map[int][]float64{}, map[int][]float64{}, map[int][]float64{}, map[int][]float64{}
			for range max(b.N, *runs) {
				for _, threads := range counts {
					n := strconv.Itoa(threads)
					call[threads] = append(call[threads], measure(b, []string{"bench", "60000", n}, traced...))
					bare[threads] = append(bare[threads], measure(b, []string{"bench", "60000", n}))
					read[threads] = append(read[threads], measure(b, []string{"bench-clock", "60000", n, clock}))
					least[threads] = append(least[threads], measure(b, []string{"bench-least", "60000", n, clock}))
				}
			}
			added, alone, machine := map[int]float64{}, map[int]float64{}, map[int]float64{}
			for _, threads := range counts {
				alone[threads] = median(bare[threads])
				added[threads] = median(call[threads]) - alone[threads]
				machine[threads] = median(least[threads]) - alone[threads]
				b.ReportMetric(added[threads], fmt.Sprintf("ns/added-%d", threads))
				b.ReportMetric(median(read[threads])-alone[threads], fmt.Sprintf("ns/clock-%d", threads))
				b.ReportMetric(machine[threads], fmt.Sprintf("ns/least-%d", threads))
			}
			b.ReportMetric(added[4]/added[1], "added-growth")
			b.ReportMetric(alone[4]/alone[1], "untraced-growth")
			b.ReportMetric(machine[4]/machine[1], "machine-growth")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkQuiet measures the cost that tracing adds to calls that write no record: binding a buffer, and asking for
// the status of a command buffer that has not completed, as a loop that polls does. A dispatch with four buffers bound
// writes one, and looks at its bindings.
func BenchmarkQuiet(b *testing.B) {
	for call, scenario := range map[string]string{"bind": "", "status": "status", "dispatch-of-4-buffers": "dispatch"} {
		b.Run("call="+call, func(b *testing.B) { compareRuns(b, "bench-bind", "40000", scenario) })
	}
}

// BenchmarkLock measures the added cost of an uncontended mutex in a process that uses Metal.
func BenchmarkLock(b *testing.B) { compareRuns(b, "bench-lock", "1000000") }

// BenchmarkCommit measures the cost that recording adds to a commit with its completion handler: two calls and two
// records of four.
func BenchmarkCommit(b *testing.B) { compareRuns(b, "bench-commit", "5000") }

// BenchmarkCommandBuffer measures the cost that recording adds to all of one command buffer, from its creation to the
// end of the wait, with its handler; and how much that slows a loop that makes one every 15 µs, as field report R1
// measured on a Mac. The variants are: the report's loop, which makes seven calls; commits and completions through the
// queue's own methods, as in Metal, which the tracer counts; and an additional enqueue, on a queue that creates the
// command buffer by a call inside a call.
func BenchmarkCommandBuffer(b *testing.B) {
	const loop = 15000
	for _, c := range []struct {
		calls, scenario string
	}{{"7", "bench-report"}, {"7,counted-passages=2", "bench-passing"}, {"8", "bench-loop"}} {
		b.Run("calls="+c.calls, func(b *testing.B) {
			b.ReportMetric(100*compareRuns(b, c.scenario, "500")/loop, "%of-15µs")
		})
	}
}

// BenchmarkEncoderTiming measures the cost that --gpu-timing encoder adds to an encoder, from its creation to the end
// of the wait for its command buffer: a pass descriptor instead of none, two samples, and reading and recording them in
// the completion handler, which waiters wait for. On the software Metal each sample costs a clock reading.
func BenchmarkEncoderTiming(b *testing.B) {
	path, _ := listen(b)
	_, program := softMetal(b)
	run := func(timing string) float64 {
		cmd := exec.Command(program, "encoder-cost")
		cmd.Env = append(os.Environ(), "SOFTMETAL_TIMED=1", "SOFTMETAL_DURATION_US=0", "LD_PRELOAD="+library(b),
			"MTRACE_SOCKET="+path, "MTRACE_GPU_TIMING="+timing)
		return printed(b, cmd)
	}
	var with, without []float64
	for range max(b.N, *runs) {
		with = append(with, run("encoder"))
		without = append(without, run("buffer"))
	}
	w, o := median(with), median(without)
	b.ReportMetric(w, "ns/encoder")
	b.ReportMetric(o, "ns/buffer-only")
	b.ReportMetric(w-o, "ns/added")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkStack measures the cost that recording the stack of a dispatch adds to recording the dispatch, by the depth
// of the stack.
func BenchmarkStack(b *testing.B) {
	for _, depth := range []int{4, 16, 60} {
		b.Run(fmt.Sprintf("depth=%d", depth), func(b *testing.B) {
			path, _ := listen(b)
			preload, socket, scenario := "LD_PRELOAD="+library(b), "MTRACE_SOCKET="+path, []string{"bench-stack", "10000",
				strconv.Itoa(depth)}
			compare(b, "off", func(on bool) float64 {
				if on {
					return measure(b, scenario, preload, socket, "MTRACE_STACKS=native")
				}
				return measure(b, scenario, preload, socket)
			})
		})
	}
}

// BenchmarkMemory measures the additional memory of a traced process, in KiB: idle after its first command buffer, for
// each further thread that makes one, for 100,000 live objects, and the growth over ten million command buffers.
func BenchmarkMemory(b *testing.B) {
	path, _ := listen(b)
	preload, socket := "LD_PRELOAD="+library(b), "MTRACE_SOCKET="+path
	for _, of := range []string{"rest", "thread", "objects", "growth"} {
		scenario := []string{"bench-memory", "10000000", of}
		var more []float64
		for range max(b.N, *runs/5) {
			more = append(more, measure(b, scenario, preload, socket)-measure(b, scenario))
		}
		b.ReportMetric(median(more), "KiB/"+of)
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkStart measures the additional time of a traced process with one command buffer, from its start to its end,
// on the clock.
func BenchmarkStart(b *testing.B) {
	path, _ := listen(b)
	preload, socket := "LD_PRELOAD="+library(b), "MTRACE_SOCKET="+path
	once := func(env ...string) float64 {
		cmd := client(b, "classes", "1")
		cmd.Env = append(os.Environ(), env...)
		from := time.Now()
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		return time.Since(from).Seconds() * 1e3
	}
	var with, bare []float64
	for range max(b.N, 3**runs) {
		with = append(with, once(preload, socket))
		bare = append(bare, once())
	}
	b.ReportMetric(median(with)-median(bare), "ms/added")
	b.ReportMetric(median(bare), "ms/untraced")
	b.ReportMetric(0, "ns/op")
}

// compareRuns returns the time that tracing adds to a scenario.
func compareRuns(b *testing.B, scenario ...string) float64 {
	path, _ := listen(b)
	preload, socket := "LD_PRELOAD="+library(b), "MTRACE_SOCKET="+path
	return compare(b, "untraced", func(on bool) float64 {
		if on {
			return measure(b, scenario, preload, socket)
		}
		return measure(b, scenario)
	})
}

// compare reports the medians of alternating runs with and without tracing, and their difference, which it returns.
func compare(b *testing.B, without string, run func(on bool) float64) float64 {
	var with, bare []float64
	for range max(b.N, *runs) {
		with = append(with, run(true))
		bare = append(bare, run(false))
	}
	w, o := median(with), median(bare)
	b.ReportMetric(w, "ns/call")
	b.ReportMetric(o, "ns/"+without)
	b.ReportMetric(w-o, "ns/added")
	b.ReportMetric(0, "ns/op")
	return w - o
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

func median(x []float64) float64 { return slices.Sorted(slices.Values(x))[len(x)/2] }
