package bench

import (
	"fmt"
	"strconv"
)

// memoryTables returns the tables of report R2 #1, shared against private memory, and of R3's bandwidth to the device
// by size.
func memoryTables(r *Results) []Table {
	shared, private := r.Find("memory", "path=shared"), r.Find("memory", "path=private")
	paths := Table{Title: "Memory: the same result through shared and through private memory",
		Columns: []string{"path", "median", "GPU", "GB/s"}}
	for _, c := range []*Case{private, shared} {
		if c == nil {
			return nil
		}
		title := "shared: written and read in place"
		if c == private {
			title = "private: copied in and out"
		}
		wall := medianOf(c, "wall_ns")
		paths.row(title, duration(wall), duration(medianOf(c, "gpu_ns")), perSecond(c.Bytes, wall))
	}
	ratio := RatioOf(private.Series("wall_ns"), shared.Series("wall_ns"))
	paths.note("Shared is %s as fast (95%%: %s), %s floats in and out; both include the application's own copy.",
		times(ratio.Value),
		interval(ratio.Low, ratio.High, times), shared.Keys["elements"])
	copies := Table{Title: "Memory: host to device, GB/s", Columns: []string{"bytes", "memcpy into shared", "GB/s",
		"blit into private", "GB/s"}}
	for _, size := range r.Values("memory", "bytes") {
		n, _ := strconv.ParseFloat(size, 64)
		direct := medianOf(r.Find("memory", "copy=memcpy", "bytes="+size), "wall_ns")
		blit := medianOf(r.Find("memory", "copy=blit", "bytes="+size), "wall_ns")
		copies.row(bytesText(n), duration(direct), perSecond(n, direct), duration(blit), perSecond(n, blit))
	}
	copies.note("A blit is a whole command buffer, including the wait for it.")
	return []Table{paths, copies, timesTable(r, "memory", "wall_ns", "Memory: each case")}
}

// cacheSteps are the ways to create a kernel, in the order of the table.
var cacheSteps = []struct{ step, title string }{
	{"cold", "compiled for the first time"}, {"again", "the same source once more"},
	{"archive", "source, pipeline from an archive"},
	{"hit", "from a cache of one's own"},
}

// cacheTables returns the tables of reports R2 #5 and R4.
func cacheTables(r *Results) []Table {
	t := Table{Title: "Getting a kernel", Columns: []string{"way", "median", "95%", "library", "pipeline", "cold is"}}
	cold := r.Find("cache", "step=cold")
	for _, step := range cacheSteps {
		c := r.Find("cache", "step="+step.step)
		if c == nil {
			continue
		}
		s := c.Series("wall_ns").Summarize()
		ratio := RatioOf(cold.Series("wall_ns"), c.Series("wall_ns"))
		t.row(step.title, duration(s.Median), interval(s.Low, s.High, duration), duration(medianOf(c, "library_ns")),
			duration(medianOf(c, "pipeline_ns")), times(ratio.Value))
	}
	t.note("A cold kernel is one that no process has compiled before. The cache's key is SHA-256 over name, source, " +
		"entry, language, target, flags and options.")
	tables := []Table{t}
	if save := r.Find("cache", "step=save"); save != nil {
		s := save.Series("save_ns").Summarize()
		tables = append(tables, Table{
			Title: "Saving a binary archive of one kernel", Columns: []string{"median", "95%", "file"},
			Rows: [][]string{{duration(s.Median), interval(s.Low, s.High, duration), bytesText(medianOf(save, "file_bytes"))}},
		})
	}
	if c := r.Find("cache", "step=requests"); c != nil {
		tables = append(tables, statisticsTable(c))
	}
	return append(tables, timesTable(r, "cache", "wall_ns", "Getting a kernel: each case"))
}

func statisticsTable(c *Case) Table {
	t := Table{
		Title: fmt.Sprintf("The cache's statistics: %s kernels, capacity %s, least recently used evicted ten at a time",
			c.Keys["kernels"], c.Keys["capacity"]),
		Columns: []string{"hits", "misses", "hit rate", "mean compile", "mean retrieval", "evictions", "entries",
			"source held"},
	}
	t.row(count(medianOf(c, "hits")), count(medianOf(c, "misses")), percent(medianOf(c, "hit_share")),
		duration(medianOf(c, "compile_ns")),
		duration(medianOf(c, "retrieve_ns")), count(medianOf(c, "evictions")), count(medianOf(c, "entries")),
		bytesText(medianOf(c, "source_bytes")))
	t.note("Kernels are requested unevenly: the k-th with weight 1/k. A kernel that is requested after its eviction is compiled " +
		"again.")
	return t
}

// acquireTables returns the table of report R2 #6a: how long it takes to create a command buffer.
func acquireTables(r *Results) []Table {
	t := Table{Title: "Acquiring a command buffer", Columns: []string{"call", "samples", "min", "mean", "median", "max",
		"95% of median"}}
	for _, c := range r.Of("acquire") {
		s := c.Series("acquire_ns").Summarize()
		t.row(c.Keys["call"], count(float64(s.Samples)), duration(s.Min), duration(s.Mean), duration(s.Median),
			duration(s.Max), interval(s.Low, s.High, duration))
		t.Notes = []string{method(s, c.Warmup)}
	}
	t.note("Each is committed and completed before the next, outside of the measured time, because a full queue blocks. Reading "+
		"the clock costs %s of each figure.", duration(r.Host.ClockNS))
	return []Table{t}
}

// coldPhases are the phases of a start, in order; those after the total are not part of it.
var coldPhases = []struct{ metric, title string }{
	{"load_ns", "load Metal"}, {"device_ns", "device"}, {"queue_ns", "queue"}, {"buffers_ns", "16 buffers of 1 MiB"},
	{"library_ns", "library (known source)"}, {"pipeline_ns", "first pipeline"},
	{"total_ns", "TOTAL to the first pipeline"},
	{"first_buffer_ns", "first command buffer completed"}, {"fresh_kernel_ns", "a kernel never compiled before"},
}

// coldstartTables returns the table of report R2 #4: phases of a start, each sample in a process of its own.
func coldstartTables(r *Results) []Table {
	t := Table{Title: "Cold start", Columns: []string{"phase", "processes", "min", "mean", "median", "max",
		"95% of median"}}
	c := r.Find("coldstart", "process=new")
	for _, phase := range coldPhases {
		s := c.Series(phase.metric).Summarize()
		t.row(phase.title, strconv.Itoa(s.Samples), duration(s.Min), duration(s.Mean), duration(s.Median), duration(s.Max),
			interval(s.Low, s.High, duration))
	}
	t.note("Every sample is a new process, because the second device of a process is not a cold one. The known source is the " +
		"same in all of them, so Metal has compiled it after the first.")
	return []Table{t}
}

// graphWays are the ways to run independent kernels, in the order of the table.
var graphWays = []struct{ way, title string }{
	{"one-by-one", "a command buffer each, one after the other"}, {"one-encoder", "one encoder, in order"},
	{"concurrent-encoder", "one concurrent encoder"}, {"queues", "a queue each, one thread"},
	{"threads", "a queue and a thread each"},
}

// graphTables are report R2 #7.
func graphTables(r *Results) []Table {
	base := r.Find("graph", "way=one-by-one")
	if base == nil {
		return nil
	}
	t := Table{
		Title: fmt.Sprintf("Graph: %s independent kernels (GELU of %s floats)", base.Keys["kernels"],
			base.Keys["elements"]),
		Columns: []string{"way", "median", "speed-up", "95%"},
	}
	for _, way := range graphWays {
		c := r.Find("graph", "way="+way.way)
		speed := RatioOf(base.Series("wall_ns"), c.Series("wall_ns"))
		t.row(way.title, duration(medianOf(c, "wall_ns")), times(speed.Value), interval(speed.Low, speed.High, times))
	}
	t.note("Kernels are compiled, buffers made and threads started before.")
	return []Table{t, timesTable(r, "graph", "wall_ns", "Graph: each case")}
}

// poolTables are reports R2 #3 and R3.
func poolTables(r *Results) []Table {
	t := Table{Title: "Pooling: four temporaries a step", Columns: []string{"buffers", "steps", "allocations",
		"allocated", "reused", "peak", "median step", "95%"}}
	for _, c := range r.Of("pool") {
		s := c.Series("wall_ns").Summarize()
		t.row(c.Keys["buffers"], count(medianOf(c, "operations")), count(medianOf(c, "allocations")),
			bytesText(medianOf(c, "allocated_bytes")),
			percent(medianOf(c, "reuse_share")), bytesText(medianOf(c, "peak_bytes")), duration(s.Median),
			interval(s.Low, s.High, duration))
	}
	fresh, pooled := r.Find("pool", "buffers=new"), r.Find("pool", "buffers=pooled")
	fewer := 1 - medianOf(pooled, "allocations")/medianOf(fresh, "allocations")
	speed := RatioOf(fresh.Series("wall_ns"), pooled.Series("wall_ns"))
	t.note("Pooled: %s fewer allocations, first ones included; a step is %s as fast (95%%: %s).", percent(fewer),
		times(speed.Value), interval(speed.Low, speed.High, times))
	t.note("Peak is the device's currentAllocatedSize, for both together: they alternate in one process.")
	return []Table{t, timesTable(r, "pool", "wall_ns", "Pooling: each case")}
}
