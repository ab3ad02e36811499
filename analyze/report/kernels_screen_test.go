package report

import (
	"bytes"
	"strings"
	"testing"

	"mtrace/analyze/kernels"
)

// In llama.cpp's token loop the run identified nothing but the copies, 0.1% of GPU time. The default report began
// with those, and gave each kernel that was not identified a time, in place of its bounds.
func TestScreenShowsBoundsOfKernels(t *testing.T) {
	r := &Report{Kernels: []Kernel{
		{Name: "(copies)", GPUNS: 10_000, GPULowNS: 10_000, GPUHighNS: 10_000, Share: 0.001, Source: kernels.Measured},
		{Name: "mul_mv", Dispatches: 10, GPUNS: 4_000_000, GPULowNS: 0, GPUHighNS: 9_000_000, Share: 0.4,
			Source: kernels.NotIdentified},
		{Name: "rope", Dispatches: 10, GPUNS: 5_990_000, GPULowNS: 0, GPUHighNS: 9_000_000, Share: 0.599,
			Source: kernels.NotIdentified},
	}}
	var out bytes.Buffer
	writeScreenKernels(&sheet{Writer: &out, width: 120}, r, screenRows{kernels: 2})
	want := `KERNELS  mul_mv 0 ns–9.00 ms (0.0%–90%, not identified) · 10 dispatches · 0 ns–900 µs each
         rope 0 ns–9.00 ms (0.0%–90%, not identified) · 10 dispatches · 0 ns–900 µs each
         ... and 1 more: --section kernels
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Copies, and command buffers without recorded work, had "0 dispatches · 90.0 ms each".
func TestScreenHasNoMeanWithoutDispatches(t *testing.T) {
	r := &Report{Kernels: []Kernel{
		{Name: kernels.Nothing, CommandBuffers: 3, GPUNS: 90_000_000, GPUHighNS: 90_000_000, Share: 0.9,
			Source: kernels.Measured},
		{Name: kernels.Copies, CommandBuffers: 1, GPUNS: 10_000_000, GPUHighNS: 10_000_000, Share: 0.1,
			Source: kernels.Measured},
	}}
	var out bytes.Buffer
	writeScreenKernels(&sheet{Writer: &out, width: 120}, r, screenRows{kernels: 2})
	want := `KERNELS  (no work recorded) 90.0 ms (90%, measured) · in 3 command buffers
         (copies) 10.0 ms (10%, measured) · in 1 command buffer
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if cell := r.Kernels[0].MeanCell(); cell != "-" {
		t.Errorf("mean of no dispatch: %s", cell)
	}
	if n := mean(90, 0); n != 0 {
		t.Errorf("mean of no dispatch: %d ns", n)
	}
}

// Two kernels of one name had the same line, while the lines of what would help told them apart.
func TestScreenTellsKernelsOfOneNameApart(t *testing.T) {
	r := &Report{Kernels: []Kernel{
		{Name: strings.Repeat("long_", 10), Variant: "923fc36d", Dispatches: 2, GPUNS: 6_000_000, GPUHighNS: 6_000_000},
		{Name: "step", Variant: "b5e6f62c", Dispatches: 2, GPUNS: 4_000_000, GPUHighNS: 4_000_000}}}
	var out bytes.Buffer
	writeScreenKernels(&sheet{Writer: &out, width: 120}, r, screenRows{kernels: 2})
	for _, want := range []string{"_long_ [923fc36d] 6.00 ms", "step [b5e6f62c] 4.00 ms"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// The advice for kernels that are not identified does not name the option with which the run was recorded.
func TestAdviceForUnidentifiedKernels(t *testing.T) {
	r := &Report{Kernels: []Kernel{{Source: kernels.NotIdentified}}}
	if text := notIdentified(r); !strings.Contains(text, "--gpu-timing encoder") {
		t.Error(text)
	}
	r.GPU.Encoders.Asked = true
	if text := notIdentified(r); strings.Contains(text, "--gpu-timing") || !strings.Contains(text, "several sizes") {
		t.Error(text)
	}
	r.Kernels[0].Source = kernels.Measured
	if text := notIdentified(r); text != "" {
		t.Error(text)
	}
}
