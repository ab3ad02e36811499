package report

import (
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/kernels"
	"mtrace/analyze/policy"
)

// A Kernel is what one kernel did.
type Kernel struct {
	// the kernel's name, or a name in parentheses for GPU time of no known kernel. The row "(failed command buffers)"
	// has the command buffers that failed, which are in no kernel's row
	Name string `json:"name"`
	// distinguishes kernels of the same name: the source of the library and the specialisation constants; empty if
	// the name is unique
	Variant string `json:"variant"`
	// what dispatched the kernel: "app" for the program itself, or classes of Metal Performance Shaders; several are
	// separated by commas
	Layer      string `json:"layer"`
	Dispatches int    `json:"dispatches"`
	// GPU time of all dispatches. If source is "not identified", it is only a value between gpu_low_ns and
	// gpu_high_ns, chosen so that all kernels add up
	GPUNS     int64   `json:"gpu_ns"`
	GPULowNS  int64   `json:"gpu_low_ns"`
	GPUHighNS int64   `json:"gpu_high_ns"`
	MeanNS    int64   `json:"mean_ns"` // per dispatch; 0 without dispatches
	Share     float64 `json:"share"`
	// how gpu_ns was determined: "measured", "fitted" or "not identified"; reports of older versions have "estimated"
	Source string `json:"source"`
	// 1 for the kernel with the most GPU time. Kernels have the same rank if the run does not show which has more; 0
	// if not identified
	Rank           int     `json:"rank"`
	MeanThreads    float64 `json:"mean_threads"`
	CommandBuffers int     `json:"command_buffers"`

	// the operation for which the kernel ran, the one with the most GPU time if there are several; empty if none has
	// a name
	Operation string `json:"operation"`
	// where the operation's name comes from: "debug group", "encoder label", …
	OperationFrom string            `json:"operation_from"`
	Operations    []KernelOperation `json:"operations"` // all, when any has a name
}

// A KernelOperation sums up a kernel's work for one operation. The element with an empty name sums up the work
// without a name.
type KernelOperation struct {
	Name       string `json:"name"`
	From       string `json:"from"`
	Dispatches int    `json:"dispatches"`
	GPUNS      int64  `json:"gpu_ns"`
}

// A FusionCandidate is a sequence of kernels that a thread nearly always dispatches directly one after another, so
// that one kernel could do the work of all.
type FusionCandidate struct {
	Kernels []string `json:"kernels"`
	Count   int      `json:"count"`
	Share   float64  `json:"share"`
	Across  int      `json:"across_command_buffers"`
	GPUNS   int64    `json:"gpu_ns"`
	SavedNS int64    `json:"saved_ns"`
}

func buildKernels(r *Report, ks []*kernels.Kernel, fusions []kernels.Fusion) {
	named := map[string]int{}
	for _, k := range ks {
		named[k.Name]++
	}
	r.Kernels = list(ks, func(k *kernels.Kernel) Kernel {
		out := Kernel{Name: k.Name, Layer: strings.Join(k.Layers, ", "), Dispatches: k.Dispatches, GPUNS: int64(k.GPU),
			GPULowNS:  int64(k.Low),
			GPUHighNS: int64(k.High), Share: k.Share, Source: k.Source, Rank: k.Rank, MeanThreads: k.MeanThreads,
			CommandBuffers: k.Buffers,
			MeanNS:         mean(k.GPU, k.Dispatches)}
		if named[k.Name] > 1 {
			out.Variant = k.Variant
		}
		out.operations(k)
		return out
	})
	r.FusionCandidates = list(fusions, func(f kernels.Fusion) FusionCandidate {
		return FusionCandidate{Kernels: f.Kernels, Count: f.Count, Share: f.Share, Across: f.Across,
			GPUNS:   int64(f.GPU),
			SavedNS: int64(f.Saved)}
	})
}

// operations fills in the operations for which the kernel ran. The list stays empty if none of them has a name.
func (k *Kernel) operations(from *kernels.Kernel) {
	k.Operations = []KernelOperation{}
	for _, o := range from.Operations {
		if o.Name != "" && k.Operation == "" {
			k.Operation, k.OperationFrom = o.Name, o.From.String()
		}
	}
	if k.Operation == "" {
		return
	}
	for _, o := range from.Operations {
		k.Operations = append(k.Operations, KernelOperation{o.Name, o.From.String(), o.Dispatches, int64(o.GPU)})
	}
}

// widestOperation is the maximum width in characters of an operation's name in a text table.
const widestOperation = 30

// OperationCell returns the operation with most of the kernel's time, and how many others there are: "attention +2".
func (k *Kernel) OperationCell() string {
	if n := len(k.Operations); n > 1 {
		return fmt.Sprintf("%s +%d", cut(k.Operation, widestOperation), n-1)
	}
	return cut(k.Operation, widestOperation)
}

// Title returns the kernel's name, with its variant if several kernels have that name.
func (k *Kernel) Title() string {
	return titled(k.Name, k.Variant)
}

// titled returns a kernel's name with its variant in brackets, if it has one.
func titled(name, variant string) string {
	if variant == "" {
		return name
	}
	return name + " [" + variant + "]"
}

// A cost is the GPU time of a kernel or an operation, with lower and upper bound.
type cost struct {
	gpu, low, high int64
	share          float64
	source         string
}

func (k *Kernel) cost() cost {
	return cost{k.GPUNS, k.GPULowNS, k.GPUHighNS, k.Share, k.Source}
}

// Identified reports whether the trace determines the kernel's GPU time. If not, only the bounds may be shown.
func (k *Kernel) Identified() bool { return k.Source != kernels.NotIdentified }

// GPUCell returns the kernel's GPU time for a table; its bounds if the time is not identified.
func (k *Kernel) GPUCell() string { return k.cost().time(1) }

// ShareCell returns the kernel's share of all GPU time for a table; bounds if the time is not identified.
func (k *Kernel) ShareCell() string { return k.cost().ofAll() }

// MeanCell returns the kernel's mean GPU time per dispatch for a table; bounds if the time is not identified, "-"
// without dispatches.
func (k *Kernel) MeanCell() string { return k.cost().per(k.Dispatches) }

// SourceCell returns how the kernel's GPU time was determined, with the precision of a fit, "fitted ±3.1%", or the
// share of a measured time that may be fixed cost of command buffers: "measured -58%".
func (k *Kernel) SourceCell() string { return k.cost().from() }

// per formats the mean GPU time of n dispatches; "-" if n is 0, as for copies.
func (c cost) per(n int) string {
	if n == 0 {
		return "-"
	}
	return c.time(int64(n))
}

// mean returns the mean GPU time of n dispatches; 0 if n is 0.
func mean(gpu analyze.Nanos, n int) int64 {
	if n == 0 {
		return 0
	}
	return int64(gpu) / int64(n)
}

// time formats the GPU time divided by `parts`; the range between the bounds if the time is not identified.
func (c cost) time(parts int64) string {
	if c.source == kernels.NotIdentified {
		return ns(c.low/parts) + "–" + ns(c.high/parts)
	}
	return ns(c.gpu / parts)
}

// ofAll formats the share of all GPU time; the range between the bounds if the time is not identified.
func (c cost) ofAll() string {
	if c.source == kernels.NotIdentified && c.gpu > 0 {
		of := c.share / float64(c.gpu)
		return analyze.FormatShare(min(1, of*float64(c.low))) + "–" + analyze.FormatShare(min(1, of*float64(c.high)))
	}
	return analyze.FormatShare(c.share)
}

func (c cost) from() string {
	if c.source == kernels.Fitted && c.gpu > 0 {
		off := max(c.high-c.gpu, c.gpu-c.low)
		return fmt.Sprintf("%s ±%s", c.source, analyze.FormatShare(float64(off)/float64(c.gpu)))
	}
	if off := float64(c.gpu-c.low) / float64(max(1, c.gpu)); c.source == kernels.Measured && off >= policy.ShownFixedCost {
		return fmt.Sprintf("%s -%s", c.source, analyze.FormatShare(off))
	}
	return c.source
}

// notIdentifiedText explains below the table of kernels why some have only bounds.
const notIdentifiedText = "not identified: " +
	"the kernel nearly always shares its command buffers and encoders with the same other kernels, " +
	"so the trace shows only bounds of its time. These kernels are in no order; "

// Advice on how to identify the times of more kernels. The first is given if the times of encoders were not measured,
// the second if they were.
const (
	timeEncodersText = "mtrace run --gpu-timing encoder separates kernels of different encoders"
	varyInputText    = "a run with inputs of several sizes, which dispatch them in other proportions, may identify them"
)

func writeKernels(w *sheet, r *Report) {
	if len(r.Kernels) == 0 {
		return
	}
	writeHeading(w, "kernels", "GPU time of each kernel")
	t := &table{heads: []string{"kernel", "gpu", "share", "dispatches", "mean", "threads", ""}, left: 1,
		most: w.rows(mostRows), spare: []int{5, 4}}
	if len(r.Operations) > 0 {
		t.heads, t.left, t.spare = slices.Insert(t.heads, 1, "operation"), 2, []int{6, 5}
	}
	for i := range r.Kernels {
		k := &r.Kernels[i]
		name := k.Title()
		if k.Layer != analyze.App {
			name = k.Layer + " / " + name
		}
		threads := "" // not known, for example from Instruments' encoders
		if k.MeanThreads > 0 {
			threads = fmt.Sprintf("%.0f", k.MeanThreads)
		}
		cells := []string{name, k.GPUCell(), k.ShareCell(), formatCount(k.Dispatches), k.MeanCell(), threads, k.SourceCell()}
		if len(r.Operations) > 0 {
			cells = slices.Insert(cells, 1, k.OperationCell())
		}
		t.add(cells...)
	}
	t.write(w)
	if i := slices.IndexFunc(r.Kernels, func(k Kernel) bool { return k.Name == kernels.Failed }); i >= 0 {
		wrap(w, fmt.Sprintf("%s failed: their dispatches and GPU time are not in the rows of their kernels",
			analyze.Plural(r.Kernels[i].CommandBuffers, "command buffer")), "  ", "    ")
	}
	if text := notIdentified(r); text != "" {
		wrap(w, text, "  ", "    ")
	}
	for i, f := range r.FusionCandidates {
		if i == 5 {
			wrap(w, fmt.Sprintf("… and %d more; the JSON report has all", len(r.FusionCandidates)-i), "  ", "    ")
			break
		}
		wrap(w, fmt.Sprintf("could be one kernel: %s, %s times back to back", strings.Join(f.Kernels, " + "),
			formatCount(f.Count)), "  ", "    ")
	}
}

// notIdentified returns an explanation, and what to do, if any kernel's time is not identified; "" otherwise.
func notIdentified(r *Report) string {
	if !slices.ContainsFunc(r.Kernels, func(k Kernel) bool { return !k.Identified() }) {
		return ""
	}
	if r.GPU.Encoders.Asked {
		return notIdentifiedText + varyInputText
	}
	return notIdentifiedText + timeEncodersText
}
