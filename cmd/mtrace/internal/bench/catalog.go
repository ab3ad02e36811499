package bench

import (
	"fmt"
	"strconv"
	"strings"

	"mtrace/analyze"
)

// Parameters are the options that mtrace bench passes to rawmetal, the program that makes the Metal calls and
// measures them. A zero value keeps rawmetal's default.
type Parameters struct {
	Threads    []int  `json:"threads,omitempty"`
	Elements   []int  `json:"elements,omitempty"`
	Sizes      []int  `json:"sizes,omitempty"` // sizes of matrices
	Iterations int    `json:"iterations"`      // operations measured per case (and thread), over all rounds
	Rounds     int    `json:"rounds"`          // number of rounds; each round measures every case once
	Warmup     int    `json:"warmup"`          // operations before the first that counts
	BudgetMS   int    `json:"budget_ms"`       // longest time to measure one case, in milliseconds
	Sync       string `json:"sync,omitempty"`  // wait, event, device or none
}

// Arguments returns the parameters as command-line flags of rawmetal.
func (p Parameters) Arguments() []string {
	var args []string
	list := func(flag string, values []int) {
		if len(values) > 0 {
			text := make([]string, len(values))
			for i, v := range values {
				text[i] = strconv.Itoa(v)
			}
			args = append(args, flag, strings.Join(text, ","))
		}
	}
	one := func(flag string, value int) { args = append(args, flag, strconv.Itoa(value)) }
	list("--threads", p.Threads)
	list("--elements", p.Elements)
	list("--sizes", p.Sizes)
	one("--iters", p.Iterations)
	one("--rounds", p.Rounds)
	one("--warmup", p.Warmup)
	one("--budget-ms", p.BudgetMS)
	if p.Sync != "" {
		args = append(args, "--sync", p.Sync)
	}
	return args
}

// A Bench is one benchmark, with its default parameters.
type Bench struct {
	Name    string
	Summary string
	Program string // the benchmark's name in the program rawmetal
	// PerProcess starts a new process for each round: what the benchmark measures (such as opening the device) is
	// slow only the first time in a process.
	PerProcess bool
	// Fresh is set if the benchmark compiles kernels that never existed before. The software Metal then gets a
	// temporary cache folder, so that the user's cache does not fill with these kernels.
	Fresh bool
	// Compared runs two processes in each round, one traced and one untraced; their difference is the tracer's
	// overhead.
	Compared bool
	Full     Parameters
	Quick    Parameters // under a minute on two cores
	// SoftwareSizes replaces Full's matrix sizes if Metal is emulated on the CPU, where Full's sizes would take an
	// hour.
	SoftwareSizes []int
	tables        func(*Results) []Table
}

// Tables returns the tables to print for the results r: first those specific to the benchmark, then the times of
// every case.
func (b *Bench) Tables(r *Results) []Table { return b.tables(r) }

// Find returns the benchmark of that name.
func Find(name string) (*Bench, bool) {
	for i := range catalog {
		if catalog[i].Name == name {
			return &catalog[i], true
		}
	}
	return nil, false
}

// All returns the benchmarks in the order in which `mtrace bench all` runs them.
func All() []*Bench {
	all := make([]*Bench, len(catalog))
	for i := range catalog {
		all[i] = &catalog[i]
	}
	return all
}

// Names returns the names of all benchmarks, separated by commas, for help texts and error messages.
func Names() string {
	names := make([]string, len(catalog))
	for i := range catalog {
		names[i] = catalog[i].Name
	}
	return strings.Join(names, ", ")
}

// full returns the parameters of a full run, and quick the parameters of --quick. A full run has nine or more rounds.
// With fewer, the 95% interval of the median spans all rounds, so one outlier widens it; with fewer than six there is
// no interval.
func full(iterations, warmup, budgetMS int) Parameters {
	return Parameters{Iterations: iterations, Rounds: 9, Warmup: warmup, BudgetMS: budgetMS}
}

func quick(iterations, warmup, budgetMS int) Parameters {
	return Parameters{Iterations: iterations, Rounds: 6, Warmup: warmup, BudgetMS: budgetMS}
}

func (p Parameters) with(threads, elements, sizes []int) Parameters {
	p.Threads, p.Elements, p.Sizes = threads, elements, sizes
	return p
}

var threads1248 = []int{1, 2, 4, 8}

// catalog has a row for each benchmark. The sizes in Full come from the published measurements that `mtrace bench
// --claims` checks; with other sizes the figures cannot be compared.
var catalog = []Bench{
	{
		Name: "scaling", Summary: "operations per second by number of threads, " +
			"for one shared queue and for a queue for each thread",
		Program: "scaling",
		Full:    full(45_000, 200, 60_000).with(threads1248, []int{1024}, nil),
		Quick:   quick(12_000, 200, 10_000).with(threads1248, []int{1024}, nil), tables: scalingTables,
	},
	{
		Name: "axpy", Summary: "creating, encoding, committing and waiting for one axpy kernel: " +
			"the duration of each call by number of threads", Program: "axpy",
		Full:  full(90, 3, 60_000).with(threads1248, []int{12_000_000}, nil),
		Quick: quick(30, 2, 10_000).with(threads1248, []int{1_000_000}, nil), tables: axpyTables,
	},
	{
		Name: "matmul", Summary: "matrix products with a naive kernel, a tiled kernel and MPS, by size and precision",
		Program: "matmul",
		Full:    full(90, 3, 5_000).with(nil, nil, []int{256, 512, 1024, 2048}),
		Quick:   quick(60, 1, 1_000).with(nil, nil, []int{64, 128, 256}), SoftwareSizes: []int{128, 256, 512},
		tables: matmulTables,
	},
	{
		Name: "elementwise", Summary: "adding and multiplying arrays, by size and precision, in GB/s",
		Program: "elementwise",
		Full:    full(900, 10, 2_000).with(nil, []int{1_000, 10_000, 100_000, 1_000_000}, nil),
		Quick:   quick(120, 3, 400).with(nil, []int{1_000, 10_000, 100_000, 1_000_000}, nil), tables: elementwiseTables,
	},
	{
		Name: "reduction", Summary: "the sum of an array in two stages, in GB/s", Program: "reduction",
		Full:  full(900, 10, 2_000).with(nil, []int{1_000, 10_000, 100_000, 1_000_000}, nil),
		Quick: quick(120, 3, 400).with(nil, []int{10_000, 100_000, 1_000_000}, nil), tables: reductionTables,
	},
	{
		Name: "gelu", Summary: "the activation function GELU, by size and precision, in GFLOP/s", Program: "gelu",
		Full:  full(900, 10, 2_000).with(nil, []int{1_000, 10_000, 100_000, 1_000_000}, nil),
		Quick: quick(120, 3, 400).with(nil, []int{1_000, 100_000, 1_000_000}, nil), tables: geluTables,
	},
	{
		Name: "fused", Summary: "one fused kernel compared with two separate kernels: milliseconds saved",
		Program: "fused",
		Full:    full(900, 10, 2_000).with(nil, []int{1_000, 100_000, 1_000_000}, []int{256}),
		Quick:   quick(120, 3, 300).with(nil, []int{1_000, 100_000}, []int{64}), tables: fusedTables,
	},
	{
		Name: "memory", Summary: "shared memory compared with private memory and copies; " +
			"copies from host to device in GB/s, by size",
		Program: "memory",
		Full:    full(900, 10, 2_000).with(nil, []int{1_024, 16_384, 102_400, 1_000_000, 16_000_000}, nil),
		Quick:   quick(120, 3, 400).with(nil, []int{1_024, 102_400, 1_000_000}, nil), tables: memoryTables,
	},
	{
		Name: "cache", Summary: "the time to get a kernel: " +
			"compiled first, compiled again, from an archive, from the program's own cache", Program: "cache",
		Fresh: true, Full: full(90, 3, 30_000), Quick: quick(30, 1, 2_000), tables: cacheTables,
	},
	{
		Name: "acquire", Summary: "the duration of -[MTLCommandQueue commandBuffer]", Program: "acquire",
		Full: full(9_000, 100, 10_000), Quick: quick(1_200, 50, 1_500), tables: acquireTables,
	},
	{
		Name: "coldstart", Summary: "the time from process start to the first pipeline and result, by phase; " +
			"each sample is a new process", Program: "coldstart",
		PerProcess: true, Fresh: true, Full: full(30, 0, 60_000).rounds(30), Quick: quick(8, 0, 60_000).rounds(8),
		tables: coldstartTables,
	},
	{
		Name: "graph", Summary: "independent kernels: " +
			"in sequence, in one concurrent encoder, on several queues, on several threads",
		Program: "graph",
		Full:    full(900, 10, 5_000).with(nil, []int{65_536}, nil),
		Quick:   quick(120, 3, 1_500).with(nil, []int{65_536}, nil), tables: graphTables,
	},
	{
		Name: "pool", Summary: "allocations, bytes and time with newly allocated buffers, and with buffers from a pool",
		Program: "pool",
		Full:    full(1_800, 1, 10_000), Quick: quick(300, 1, 2_000), tables: poolTables,
	},
	{
		Name: "overhead", Summary: "the tracer's overhead in ns per call and in operations per second: " +
			"traced and untraced runs alternate",
		Program:  "calls",
		Compared: true, Full: full(220_000, 500, 60_000).with([]int{1, 2, 4}, []int{1024}, nil).rounds(11),
		Quick: quick(30_000, 500, 10_000).with([]int{1, 2}, []int{1024}, nil), tables: overheadTables,
	},
}

func (p Parameters) rounds(n int) Parameters {
	p.Rounds = n
	return p
}

// timesTable returns a table with a row for each case: minimum, mean, median and maximum of the metric's samples, and
// the 95% interval of the median.
func timesTable(r *Results, bench, metric, title string) Table {
	t := Table{Title: title, Columns: []string{"case", "samples", "min", "mean", "median", "max", "95% of median",
		"variation"}}
	for _, c := range r.Of(bench) {
		s := c.Series(metric).Summarize()
		if !s.Known() {
			continue
		}
		t.row(c.Name, strconv.Itoa(s.Samples), duration(s.Min), duration(s.Mean), duration(s.Median), duration(s.Max),
			interval(s.Low, s.High, duration), percent(s.Variation))
	}
	if c := r.Of(bench); len(c) > 0 {
		t.note("%s", method(c[0].Series(metric).Summarize(), c[0].Warmup))
	}
	return t
}

// method describes how the figures were measured.
func method(s Summary, warmup int64) string {
	text := fmt.Sprintf("%s, each of which ran all cases, after %s per case. "+
		"Compiling and allocating are not measured.",
		analyze.Plural(s.Rounds, "round"), analyze.Plural(int(warmup), "warm-up operation"))
	if s.Rounds < 6 {
		return text + " No interval: an interval needs six rounds."
	}
	return text + " Intervals and variation are those of the rounds' medians."
}
