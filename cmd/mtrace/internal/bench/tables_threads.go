package bench

import (
	"fmt"
	"strconv"

	"mtrace/analyze"
)

// scaled is the throughput with some number of threads, and its speed-up and efficiency (speed-up per thread)
// relative to one thread.
type scaled struct {
	ops      Summary
	speedup  Ratio
	efficacy float64
}

func scaledOf(base, c *Case, threads int) scaled {
	s := scaled{ops: c.Series("ops_per_s").Summarize(), speedup: RatioOf(c.Series("ops_per_s"), base.Series("ops_per_s"))}
	s.efficacy = s.speedup.Value / float64(threads)
	return s
}

func (s scaled) cells() []string {
	return []string{formatCount(s.ops.Median), times(s.speedup.Value), percent(s.efficacy),
		interval(s.speedup.Low, s.speedup.High, significant)}
}

// scalingTables returns throughput, speed-up and efficiency by number of threads: with a queue for each thread, and
// with one queue shared by all.
func scalingTables(r *Results) []Table {
	base := r.Find("scaling", "queues=one")
	if base == nil {
		return nil
	}
	t := Table{
		Title: fmt.Sprintf("Scaling: one axpy of %s floats per command buffer; sync %s", base.Keys["elements"],
			base.Keys["sync"]),
		Columns: []string{"threads", "separate ops/s", "speed-up", "eff.", "95%", "shared ops/s", "speed-up", "eff.",
			"95%"},
	}
	one := base.Series("ops_per_s").Summarize()
	t.row("1 (sequential)", formatCount(one.Median), "1.00x", "100.0%", "", "", "", "", "")
	for _, threads := range r.Values("scaling", "threads") {
		n, _ := strconv.Atoi(threads)
		if n < 2 {
			continue
		}
		row := []string{threads}
		for _, queues := range []string{"separate", "shared"} {
			c := r.Find("scaling", "threads="+threads, "queues="+queues)
			row = append(row, scaledOf(base, c, n).cells()...)
		}
		t.row(row...)
	}
	t.note("%s Each figure is the median over all rounds; a speed-up is the median of each round's speed-up.",
		method(one, base.Warmup))
	t.note("One thread: %s…%s ops/s in the rounds, variation %s.%s", formatCount(one.Min), formatCount(one.Max),
		percent(one.Variation), disturbed(one))
	return []Table{t}
}

// disturbed returns a warning if the throughput of one thread varies between rounds by 15% or more: every speed-up is
// relative to it, and is as uncertain.
func disturbed(base Summary) string {
	if base.Variation < 0.15 {
		return ""
	}
	return " THE BASELINE IS DISTURBED: the throughput of one thread varies that much between rounds. " +
		"Every speed-up is relative to it and is as uncertain: stop other programs, or measure longer (--iters)."
}

// axpyCalls lists the timed calls of one operation, from creating its command buffer to its time on the GPU.
var axpyCalls = []struct{ metric, title string }{
	{"create_ns", "create"}, {"encode_ns", "encode"}, {"commit_ns", "commit"}, {"wait_ns", "wait"}, {"gpu_ns", "GPU"},
}

// axpyTables returns two tables by number of threads: throughput with the median of every call, and the spread of
// each call's duration.
func axpyTables(r *Results) []Table {
	base := r.Find("axpy", "threads=1")
	if base == nil {
		return nil
	}
	t := Table{
		Title: fmt.Sprintf("axpy: %s floats, a queue for each thread; sync %s; medians per call", base.Keys["elements"],
			base.Keys["sync"]),
		Columns: []string{"threads", "ops/s", "speed-up", "eff.", "95%", "create", "encode", "commit", "wait", "GPU",
			"GB/s"},
	}
	calls := Table{Title: "axpy: each call", Columns: []string{"threads", "call", "samples", "min", "mean", "median",
		"max", "95% of the median"}, Left: []string{"call"}}
	for _, c := range r.Of("axpy") {
		n, err := strconv.Atoi(c.Keys["threads"])
		if err != nil {
			continue
		}
		s := scaledOf(base, c, n)
		row := append([]string{c.Keys["threads"]}, s.cells()...)
		for _, call := range axpyCalls {
			summary := c.Series(call.metric).Summarize()
			row = append(row, duration(summary.Median))
			if summary.Known() {
				calls.row(c.Keys["threads"], call.title, strconv.Itoa(summary.Samples), duration(summary.Min),
					duration(summary.Mean),
					duration(summary.Median), duration(summary.Max), interval(summary.Low, summary.High, duration))
			}
		}
		t.row(append(row, significant(c.Bytes*s.ops.Median/1e9))...)
	}
	one := base.Series("ops_per_s").Summarize()
	t.note("%s%s", method(one, base.Warmup), disturbed(one))
	t.note("GB/s counts three floats per element: x and y are read, y is written.")
	return []Table{t, calls}
}

// overheadTables returns what the tracer adds to each call and to whole command buffers. Traced and untraced
// processes ran in turn.
func overheadTables(r *Results) []Table {
	t := Table{Title: "Overhead per call", Columns: []string{"call", "threads", "untraced", "traced", "added",
		"95% of added"}}
	loop := Table{Title: "Overhead on whole command buffers", Columns: []string{"threads", "untraced ops/s", "traced",
		"ratio", "95%", "untraced CPU", "traced", "ratio", "95%"}}
	rounds := 0
	for _, plain := range r.Of("calls") {
		if plain.Keys["traced"] != "no" {
			continue
		}
		if call, ok := plain.Keys["call"]; ok {
			traced := r.Find("calls", "call="+call, "threads="+plain.Keys["threads"], "traced=yes")
			added := DifferenceOf(traced.Series("call_ns"), plain.Series("call_ns"))
			rounds = added.Rounds
			t.row(call, plain.Keys["threads"], duration(medianOf(plain, "call_ns")), duration(medianOf(traced, "call_ns")),
				duration(added.Value), interval(added.Low, added.High, duration))
		}
		if kind, ok := plain.Keys["loop"]; ok {
			traced := r.Find("calls", "loop="+kind, "threads="+plain.Keys["threads"], "traced=yes")
			ratio := RatioOf(traced.Series("ops_per_s"), plain.Series("ops_per_s"))
			cpu := RatioOf(traced.Series("cpu_ns"), plain.Series("cpu_ns"))
			loop.row(plain.Keys["threads"], formatCount(medianOf(plain, "ops_per_s")),
				formatCount(medianOf(traced, "ops_per_s")),
				significant(ratio.Value),
				interval(ratio.Low, ratio.High, significant),
				duration(medianOf(plain, "cpu_ns")), duration(medianOf(traced, "cpu_ns")), significant(cpu.Value),
				interval(cpu.Low, cpu.High, significant))
		}
	}
	t.note("%s of processes, traced and untraced in turn; \"added\" is the median of the pairs' differences.",
		analyze.Plural(rounds, "pair"))
	t.note("The program itself times the calls: short calls 1,000 at a time, longer calls one by one.")
	loop.note("Each operation is a whole command buffer: created, encoded, committed, waited for. " +
		"CPU is the processor time of the whole process per operation, " +
		"including the threads of Metal and of the tracer. " +
		"Most of it is waking and switching threads, which varies with the load of the machine.")
	return []Table{t, loop}
}
