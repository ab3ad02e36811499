package timeline

import (
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
)

// BufferName returns the name of a command buffer on a track: its label or, without one, the names of its kernels.
func BufferName(b *analyze.CommandBuffer) string {
	if b.Label != "" {
		return b.Label
	}
	return bufferName(b, strings.Join(kernelsOf(b), ", "))
}

// bufferName returns the name of a command buffer on a track: its label or, without one, the kernels' names, which
// the caller passes.
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

// mostNames is the maximum number of kernels or operations that a label names.
const mostNames = 4

// kernelsOf returns the names of a command buffer's kernels, each once, in the order of their first use. If there are
// too many, the last name is "…".
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

// operations returns an arg that names the operations a slice runs; an empty one without names.
func operations(names []string) arg {
	if len(names) == 0 {
		return arg{}
	}
	return arg{name: "operations", text: strings.Join(names, ", ")}
}

// addName adds a name to a list, unless the list has it already. If the list is full, "…" is added once instead.
func addName(names []string, name string) []string {
	switch {
	case name == "" || slices.Contains(names, name) || len(names) > mostNames:
		return names
	case len(names) == mostNames:
		return append(names, "…")
	}
	return append(names, name)
}
