package bench

import (
	"fmt"
	"strconv"
)

// memoryTables returns the comparison of shared with private memory, and the bandwidth of copies from host to device
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
	paths.note("Shared memory is %s as fast as private memory (95%%: %s) for %s floats in and out; "+
		"both include the application's own copy.",
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

// cacheSteps lists the measured ways to get a compiled kernel, in the order of the table's rows.
var cacheSteps = []struct{ step, title string }{
	{"cold", "compiled for the first time"}, {"again", "the same source once more"},
	{"archive", "source, pipeline from an archive"},
	{"hit", "from a cache of one's own"},
}

// cacheTables returns the tables of the cache benchmark: the time to get a kernel in each way, to save an archive,
// and the statistics of rawmetal's own kernel cache.
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
	t.note("A cold kernel is one that no process has compiled before. " +
		"The cache's key is SHA-256 over name, source, entry, language, target, flags and options.")
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
		Title: fmt.Sprintf("The program's own cache of kernels: "+
			"%s kernels requested, capacity %s, the ten least recently used are evicted at a time",
			c.Keys["kernels"], c.Keys["capacity"]),
		Columns: []string{"hits", "misses", "hit rate", "mean compile", "mean retrieval", "evictions", "entries",
			"source held"},
	}
	t.row(formatCount(medianOf(c, "hits")), formatCount(medianOf(c, "misses")), percent(medianOf(c, "hit_share")),
		duration(medianOf(c, "compile_ns")),
		duration(medianOf(c, "retrieve_ns")), formatCount(medianOf(c, "evictions")), formatCount(medianOf(c, "entries")),
		bytesText(medianOf(c, "source_bytes")))
	t.note("Kernels are requested unevenly: the k-th with weight 1/k. " +
		"A kernel that is requested after its eviction is compiled again.")
	return t
}

// acquireTables returns the table of how long creating a command buffer takes.
func acquireTables(r *Results) []Table {
	t := Table{Title: "Acquiring a command buffer", Columns: []string{"call", "samples", "min", "mean", "median", "max",
		"95% of median"}}
	for _, c := range r.Of("acquire") {
		s := c.Series("acquire_ns").Summarize()
		t.row(c.Keys["call"], formatCount(float64(s.Samples)), duration(s.Min), duration(s.Mean), duration(s.Median),
			duration(s.Max), interval(s.Low, s.High, duration))
		t.Notes = []string{method(s, c.Warmup)}
	}
	t.note("Each command buffer is committed and completed before the next is created, "+
		"outside of the measured time, because a full queue would block. "+
		"Each figure includes %s for reading the clock.", duration(r.Host.ClockNS))
	return []Table{t}
}

// coldPhases lists the phases of a process's start, in order. total_ns is the time from the start to the end of
// pipeline_ns; the phases listed after total_ns are measured later and are not part of it.
var coldPhases = []struct{ metric, title string }{
	{"load_ns", "load Metal"}, {"device_ns", "device"}, {"queue_ns", "queue"}, {"buffers_ns", "16 buffers of 1 MiB"},
	{"library_ns", "library (known source)"}, {"pipeline_ns", "first pipeline"},
	{"total_ns", "TOTAL to the first pipeline"},
	{"first_buffer_ns", "first command buffer completed"}, {"fresh_kernel_ns", "a kernel never compiled before"},
}

// coldstartTables returns the table of a start's phases. Each sample is from a new process, because later uses in one
// process are faster.
func coldstartTables(r *Results) []Table {
	t := Table{Title: "Cold start", Columns: []string{"phase", "processes", "min", "mean", "median", "max",
		"95% of median"}}
	c := r.Find("coldstart", "process=new")
	for _, phase := range coldPhases {
		s := c.Series(phase.metric).Summarize()
		t.row(phase.title, strconv.Itoa(s.Samples), duration(s.Min), duration(s.Mean), duration(s.Median), duration(s.Max),
			interval(s.Low, s.High, duration))
	}
	t.note("Every sample is a new process, because a process opens its second device faster. " +
		"The known source is the same in all processes, so only the first one compiles it; " +
		"the others find it in Metal's cache.")
	return []Table{t}
}

// graphWays lists the measured ways to run independent kernels, in the order of the table's rows.
var graphWays = []struct{ way, title string }{
	{"one-by-one", "a command buffer for each kernel, one after the other"}, {"one-encoder", "one encoder, in order"},
	{"concurrent-encoder", "one concurrent encoder"}, {"queues", "a queue each, one thread"},
	{"threads", "a queue and a thread each"},
}

// graphTables returns the times of running independent kernels in each of graphWays.
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
	t.note("Compiling kernels, allocating buffers and starting threads are not measured.")
	return []Table{t, timesTable(r, "graph", "wall_ns", "Graph: each case")}
}

// poolTables returns the comparison of newly allocated buffers with buffers that are reused from a pool.
func poolTables(r *Results) []Table {
	t := Table{Title: "Pooling: four temporaries a step", Columns: []string{"buffers", "steps", "allocations",
		"allocated", "reused", "peak", "median step", "95%"}}
	for _, c := range r.Of("pool") {
		s := c.Series("wall_ns").Summarize()
		t.row(c.Keys["buffers"], formatCount(medianOf(c, "operations")), formatCount(medianOf(c, "allocations")),
			bytesText(medianOf(c, "allocated_bytes")),
			percent(medianOf(c, "reuse_share")), bytesText(medianOf(c, "peak_bytes")), duration(s.Median),
			interval(s.Low, s.High, duration))
	}
	fresh, pooled := r.Find("pool", "buffers=new"), r.Find("pool", "buffers=pooled")
	fewer := 1 - medianOf(pooled, "allocations")/medianOf(fresh, "allocations")
	speed := RatioOf(fresh.Series("wall_ns"), pooled.Series("wall_ns"))
	t.note("With the pool: %s fewer allocations, including those that fill it; a step is %s as fast (95%%: %s).",
		percent(fewer), times(speed.Value), interval(speed.Low, speed.High, times))
	t.note("Peak is the device's largest currentAllocatedSize. " +
		"Both rows share it, because new and pooled buffers alternate in one process.")
	return []Table{t, timesTable(r, "pool", "wall_ns", "Pooling: each case")}
}
