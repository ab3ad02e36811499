package bench

import (
	"fmt"
	"strconv"
)

// medianOf returns the median of the case's metric, or NaN if the case is nil or lacks the metric.
func medianOf(c *Case, metric string) float64 { return c.Series(metric).Summarize().Median }

// matmulTables returns the tables of the matmul benchmark: milliseconds and GFLOP/s of each kernel by matrix size,
// and how many times as fast each kernel is as the first.
func matmulTables(r *Results) []Table {
	kernels := r.Values("matmul", "kernel")
	if len(kernels) == 0 {
		return nil
	}
	t := Table{Title: "Matrix products: milliseconds and GFLOP/s, medians", Columns: []string{"size", "type"},
		Left: []string{"type"}}
	for _, k := range kernels {
		t.Columns = append(t.Columns, k+" ms", "GFLOP/s")
	}
	against := Table{Title: "Matrix products: times as fast as the " + kernels[0] + " kernel",
		Columns: []string{"size", "type"}, Left: []string{"type"}}
	for _, k := range kernels[1:] {
		against.Columns = append(against.Columns, k, "95%")
	}
	for _, size := range r.Values("matmul", "size") {
		for _, dtype := range r.Values("matmul", "dtype") {
			row, speeds := []string{size, dtype}, []string{size, dtype}
			base := r.Find("matmul", "size="+size, "dtype="+dtype, "kernel="+kernels[0])
			for i, k := range kernels {
				c := r.Find("matmul", "size="+size, "dtype="+dtype, "kernel="+k)
				wall := medianOf(c, "wall_ns")
				row = append(row, milliseconds(wall), perSecond(flopWork(c), wall))
				if i > 0 {
					speed := RatioOf(base.Series("wall_ns"), c.Series("wall_ns"))
					speeds = append(speeds, times(speed.Value), interval(speed.Low, speed.High, times))
				}
			}
			t.row(row...)
			against.row(speeds...)
		}
	}
	t.note("An operation is one command buffer: encoded, committed, waited for; no copies.")
	return []Table{t, against, timesTable(r, "matmul", "wall_ns", "Matrix products: each case")}
}

// rateTables returns a function that makes the tables of a benchmark measured in GB/s or GFLOP/s. work returns how
// many bytes, or floating-point operations, one timed operation of a case processes.
func rateTables(bench, title, unit string, work func(*Case) float64, notes ...string) func(*Results) []Table {
	return func(r *Results) []Table {
		t := Table{Title: title, Columns: []string{"op", "type", "elements", "median", "GPU", unit, unit + " on the GPU"},
			Left: []string{"type"}}
		for _, c := range r.Of(bench) {
			elements, _ := strconv.ParseFloat(c.Keys["elements"], 64)
			wall, gpu := medianOf(c, "wall_ns"), medianOf(c, "gpu_ns")
			t.row(c.Keys["op"], c.Keys["dtype"], formatCount(elements), duration(wall), duration(gpu), perSecond(work(c), wall),
				perSecond(work(c), gpu))
		}
		t.Notes = append(t.Notes, notes...)
		t.note("%s", launchCost(r, bench))
		return []Table{t, timesTable(r, bench, "wall_ns", title+": each case")}
	}
}

// launchCost returns a note with the cost of launching and waiting: wall time minus GPU time of the smallest case.
func launchCost(r *Results, bench string) string {
	cases := r.Of(bench)
	if len(cases) == 0 || cases[0].Series("gpu_ns") == nil {
		return "There are no GPU times here."
	}
	outside := DifferenceOf(cases[0].Series("wall_ns"), cases[0].Series("gpu_ns"))
	return fmt.Sprintf("In the smallest case (%s), launching the kernel and waiting for it take %s "+
		"in addition to its GPU time. Smaller operations are launch-bound.", cases[0].Name, duration(outside.Value))
}

// flopWork returns how many floating-point operations one timed operation of a case computes, and bytesWork how many
// bytes it reads and writes. Both return 0 for a nil case (not measured).
func flopWork(c *Case) float64 {
	if c == nil {
		return 0
	}
	return c.Flop
}

func bytesWork(c *Case) float64 {
	if c == nil {
		return 0
	}
	return c.Bytes
}

var (
	elementwiseTables = rateTables("elementwise", "Element-wise", "GB/s", bytesWork,
		"GB/s counts two arrays that are read and one that is written.")
	reductionTables = rateTables("reduction", "Reduction in two stages", "GB/s", bytesWork,
		"GB/s counts one array that is read.")
	geluTables = rateTables("gelu", "GELU", "GFLOP/s", flopWork,
		"GFLOP/s counts nine operations for each GELU (in its tanh form), with tanh as one of them.")
)

// fusedTables returns the table of what fusing two kernels into one saves, by kernel and size.
func fusedTables(r *Results) []Table {
	t := Table{
		Title:   "Fusion: one kernel instead of two, milliseconds",
		Columns: []string{"op", "type", "elements", "fused", "2 kernels", "2 buffers", "saved", "95% of saved", "ratio"},
		Left:    []string{"type"},
	}
	for _, c := range r.Of("fused") {
		if c.Keys["way"] != "fused" {
			continue
		}
		of := func(way string) *Case {
			return r.Find("fused", "op="+c.Keys["op"], "dtype="+c.Keys["dtype"], "elements="+c.Keys["elements"], "way="+way)
		}
		one, each := of("one-encoder"), of("buffer-each")
		saved := DifferenceOf(each.Series("wall_ns"), c.Series("wall_ns"))
		ratio := RatioOf(each.Series("wall_ns"), c.Series("wall_ns"))
		elements, _ := strconv.ParseFloat(c.Keys["elements"], 64)
		t.row(c.Keys["op"], c.Keys["dtype"], formatCount(elements), milliseconds(medianOf(c, "wall_ns")),
			milliseconds(medianOf(one, "wall_ns")),
			milliseconds(medianOf(each, "wall_ns")), milliseconds(saved.Value), interval(saved.Low, saved.High, milliseconds),
			times(ratio.Value))
	}
	t.note("2 kernels: both in one encoder. 2 buffers: " +
		"a command buffer for each kernel, each waited for, as libraries do that run one operation at a time. " +
		"Saved and ratio compare fused with 2 buffers. All three compute the same.")
	return []Table{t, timesTable(r, "fused", "wall_ns", "Fusion: each case")}
}
