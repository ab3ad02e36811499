package insight

import (
	"math"
	"slices"

	"mtrace/analyze"
)

// enough is how many command buffers a program must have committed to have a steady state.
const enough = 20

// compileInLoop: report R2's mistake, 500 ms of compilation counted as execution.
func compileInLoop(in *Input) *Insight {
	c := in.Compile
	if c.Late == 0 || c.Lost*100 < in.Trace.Window.Length() && c.Late < 3 {
		return nil
	}
	return warning("compile-in-loop", "compilation in the middle of the work",
		"make all libraries and pipeline states before the first command buffer, and time only what comes after",
		"libraries and pipeline states made after the first commit: %d; late and repeated compilation took %s", c.Late, c.Lost)
}

// repeatedCompile: the same source again and again.
func repeatedCompile(in *Input) *Insight {
	if in.Compile.Repeated == 0 {
		return nil
	}
	worst := in.Compile.Items[0]
	for _, i := range in.Compile.Items {
		if i.Kind != "function" && i.Count > worst.Count {
			worst = i
		}
	}
	return warning("repeated-compile", "the same thing compiled again", "keep libraries and pipeline states in a dictionary by source and function",
		"%d of %d compilations repeat an earlier one; most often %s %s, %d times, %s in all", in.Compile.Repeated, in.Compile.Libraries+in.Compile.Pipelines,
		worst.Kind, worst.Name, worst.Count, worst.Total)
}

// iterations are the durations from commit to completion of each thread's command buffers, in order.
func iterations(t *analyze.Trace) map[*analyze.Thread][]analyze.Nanos {
	by := map[*analyze.Thread][]analyze.Nanos{}
	for _, b := range t.CommandBuffers {
		if b.Committed.Known() && b.GPU.Known() && b.Created.Known() {
			by[b.Committed.Thread] = append(by[b.Committed.Thread], b.GPU.End-b.Created.Begin)
		}
	}
	return by
}

// noWarmUp: the first iterations are apart from the others.
func noWarmUp(in *Input) *Insight {
	const id, title = "no-warm-up", "first iterations are slower"
	slow, heard := 0, 0
	var worst float64
	for _, list := range iterations(in.Trace) {
		if len(list) < enough {
			continue
		}
		heard++
		rest := slices.Sorted(slices.Values(list[len(list)/4:]))
		median, high := rest[len(rest)/2], rest[len(rest)*95/100]
		if first := list[0]; median > 0 && first > 2*median && first > high {
			slow++
			worst = max(worst, float64(first)/float64(median))
		}
	}
	switch {
	case heard == 0:
		return skipped(id, title, "no thread has enough command buffers with GPU times")
	case slow*2 < heard:
		return nil
	}
	return info(id, title, "leave the first iterations out of measurements: run a few before the clock starts",
		"on %d of %s the first command buffer took more than twice the median of the later ones, up to %.1f times", slow, plural(heard, "thread"), worst)
}

// variance: iterations that should be equal are not.
func variance(in *Input) *Insight {
	const id, title = "variance", "iterations differ much"
	var worst float64
	heard := 0
	for _, list := range iterations(in.Trace) {
		if len(list) < enough {
			continue
		}
		heard++
		rest := slices.Sorted(slices.Values(list[len(list)/4:]))
		if median := rest[len(rest)/2]; median > 0 {
			worst = max(worst, float64(rest[len(rest)*95/100]-rest[len(rest)*5/100])/float64(median))
		}
	}
	if heard == 0 {
		return skipped(id, title, "no thread has enough command buffers with GPU times")
	}
	if worst < 1 || math.IsInf(worst, 0) {
		return nil
	}
	return info(id, title, "report medians and intervals, not means; look for what runs beside the program",
		"from the 5th to the 95th percentile, the time of a command buffer differs by %.0f %% of its median", 100*worst)
}

// allocationInLoop: buffers made again and again.
func allocationInLoop(in *Input) *Insight {
	const id, title = "allocation-in-loop", "buffers made in the loop"
	list := committed(in.Trace)
	if len(list) < enough {
		return skipped(id, title, "too few command buffers to know a loop")
	}
	first, late := list[enough/2].Committed.Begin, 0
	var bytes uint64
	for i := range in.Trace.Allocations {
		if a := &in.Trace.Allocations[i]; a.At > first {
			late++
			bytes += a.Bytes
		}
	}
	if late*4 < len(list)-enough/2 {
		return nil
	}
	return warning(id, title, "make buffers once and use them again, or take them from a pool",
		"%d buffers of %s were made after the first command buffers, %.1f for each command buffer", late, analyze.FormatBytes(bytes), of(late, len(list)-enough/2))
}

// growth: memory that is never given back.
func growth(in *Input) *Insight {
	m := in.Memory
	if m.Allocations < enough {
		return nil
	}
	if m.Addressed == 0 && !m.PeakExact {
		return skipped("memory-growth", "memory grows", "neither releases nor addresses of buffers are in the trace")
	}
	if m.Reused > 0 || m.Peak < 64<<20 {
		return nil
	}
	return info("memory-growth", "memory grows", "release buffers when they are no longer needed, or use them again",
		"%d allocations of %s, and no address ever came back", m.Allocations, analyze.FormatBytes(m.Bytes))
}
