package timeline

import (
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
)

// BufferName is what a command buffer is called on a track: its label, else its kernels.
func BufferName(b *analyze.CommandBuffer) string {
	if b.Label != "" {
		return b.Label
	}
	if kernels := kernelsOf(b); len(kernels) > 0 {
		return strings.Join(kernels, ", ")
	}
	return fmt.Sprintf("command buffer %d", b.ID)
}

func encoderName(e *analyze.Encoder) string {
	if e.Label != "" {
		return e.Label
	}
	if kernels := kernelsOfEncoder(nil, e); len(kernels) > 0 {
		return strings.Join(kernels, ", ")
	}
	return fmt.Sprintf("encoder %d", e.ID)
}

// mostKernels bounds the names in one label.
const mostKernels = 4

// kernelsOf are the names of a command buffer's kernels, each once, in order; the last is "…" when there are many.
func kernelsOf(b *analyze.CommandBuffer) []string {
	var names []string
	for i := range b.Encoders {
		names = kernelsOfEncoder(names, &b.Encoders[i])
	}
	return names
}

func kernelsOfEncoder(names []string, e *analyze.Encoder) []string {
	for d := range e.Runs() {
		if d.Pipeline == nil || d.Pipeline.Kernel == "" || slices.Contains(names, d.Pipeline.Kernel) {
			continue
		}
		if len(names) == mostKernels {
			return append(names, "…")
		}
		if len(names) > mostKernels {
			return names
		}
		names = append(names, d.Pipeline.Kernel)
	}
	return names
}
