package report

import (
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/kernels"
)

// A Kernel is what one kernel did.
type Kernel struct {
	Name           string  `json:"name"`
	Layer          string  `json:"layer"` // who dispatched it: "app", or classes of Metal Performance Shaders; several with commas
	Dispatches     int     `json:"dispatches"`
	GPUNS          int64   `json:"gpu_ns"`
	MeanNS         int64   `json:"mean_ns"` // per dispatch
	Share          float64 `json:"share"`
	Source         string  `json:"source"` // "measured" or "estimated"
	MeanThreads    float64 `json:"mean_threads"`
	CommandBuffers int     `json:"command_buffers"`

	Operation     string            `json:"operation"`      // that it ran for, the one with the most GPU time; empty when nothing names it
	OperationFrom string            `json:"operation_from"` // where its name was said: "debug group", "encoder label", …
	Operations    []KernelOperation `json:"operations"`     // all, when any has a name
}

// A KernelOperation is what a kernel did for one operation; one without a name is what nothing names.
type KernelOperation struct {
	Name       string `json:"name"`
	From       string `json:"from"`
	Dispatches int    `json:"dispatches"`
	GPUNS      int64  `json:"gpu_ns"`
}

// A FusionCandidate is two kernels or more that nearly always come back to back.
type FusionCandidate struct {
	Kernels []string `json:"kernels"`
	Count   int      `json:"count"`
	Share   float64  `json:"share"`
	Across  int      `json:"across_command_buffers"`
	GPUNS   int64    `json:"gpu_ns"`
	SavedNS int64    `json:"saved_ns"`
}

func (r *Report) kernels(ks []*kernels.Kernel, fusions []kernels.Fusion) {
	r.Kernels = list(ks, func(k *kernels.Kernel) Kernel {
		out := Kernel{Name: k.Name, Layer: strings.Join(k.Layers, ", "), Dispatches: k.Dispatches, GPUNS: int64(k.GPU), Share: k.Share, Source: kernels.Estimated,
			MeanThreads:    k.MeanThreads,
			CommandBuffers: k.Buffers, MeanNS: int64(k.GPU) / int64(max(1, k.Dispatches))}
		if k.Measured {
			out.Source = kernels.Measured
		}
		out.operations(k)
		return out
	})
	r.FusionCandidates = list(fusions, func(f kernels.Fusion) FusionCandidate {
		return FusionCandidate{Kernels: f.Kernels, Count: f.Count, Share: f.Share, Across: f.Across, GPUNS: int64(f.GPU), SavedNS: int64(f.Saved)}
	})
}

// operations says what the kernel ran for.
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

// widestOperation bounds a cell of text.
const widestOperation = 30

// OperationCell is the operation that it ran for most, and how many others there are.
func (k *Kernel) OperationCell() string {
	if n := len(k.Operations); n > 1 {
		return fmt.Sprintf("%s +%d", cut(k.Operation, widestOperation), n-1)
	}
	return cut(k.Operation, widestOperation)
}

func (r *Report) writeKernels(w *sheet) {
	if len(r.Kernels) == 0 {
		return
	}
	head(w, "kernels", "where the GPU's time went")
	t := &table{heads: []string{"kernel", "gpu", "share", "dispatches", "mean", "threads", ""}, left: 1, most: w.rows(mostRows), spare: []int{5, 4}}
	if len(r.Operations) > 0 {
		t.heads, t.left, t.spare = slices.Insert(t.heads, 1, "operation"), 2, []int{6, 5}
	}
	for _, k := range r.Kernels {
		name := k.Name
		if k.Layer != analyze.App {
			name = k.Layer + " / " + name
		}
		threads := "" // not known, as of Instruments' encoders
		if k.MeanThreads > 0 {
			threads = fmt.Sprintf("%.0f", k.MeanThreads)
		}
		cells := []string{name, ns(k.GPUNS), analyze.FormatShare(k.Share), count(k.Dispatches), ns(k.MeanNS), threads, k.Source}
		if len(r.Operations) > 0 {
			cells = slices.Insert(cells, 1, k.OperationCell())
		}
		t.add(cells...)
	}
	t.write(w)
	for i, f := range r.FusionCandidates {
		if i == 5 {
			wrap(w, fmt.Sprintf("… and %d more; the JSON report has all", len(r.FusionCandidates)-i), "  ", "    ")
			break
		}
		wrap(w, fmt.Sprintf("could be one kernel: %s, %s times back to back", strings.Join(f.Kernels, " + "), count(f.Count)), "  ", "    ")
	}
}
