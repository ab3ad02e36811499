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
	return bufferName(b, strings.Join(kernelsOf(b), ", "))
}

// bufferName is BufferName of a command buffer with these kernels.
func bufferName(b *analyze.CommandBuffer, kernels string) string {
	switch {
	case b.Label != "":
		return b.Label
	case kernels != "":
		return kernels
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

// mostNames bounds the names in one label.
const mostNames = 4

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
		if d.Pipeline != nil {
			names = addName(names, d.Pipeline.Kernel)
		}
	}
	return names
}

// operations are what to know of a slice that runs them.
func operations(names []string) arg {
	if len(names) == 0 {
		return arg{}
	}
	return arg{name: "operations", text: strings.Join(names, ", ")}
}

// addName adds a name that is not there yet; instead of the one that is too many "…".
func addName(names []string, name string) []string {
	switch {
	case name == "" || slices.Contains(names, name) || len(names) > mostNames:
		return names
	case len(names) == mostNames:
		return append(names, "…")
	}
	return append(names, name)
}
