package analyze

import "iter"

// Each iterates over pointers to the elements of a list. A range loop over the list itself would copy each element,
// and a command buffer is several cache lines long.
func Each[T any](list []T) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

// Buffers iterates over the command buffers in the order of their creation.
func (t *Trace) Buffers() iter.Seq[*CommandBuffer] { return Each(t.CommandBuffers) }

// Buffer returns the command buffer with index `i`; nil for NoCommandBuffer. Indices beyond Trace.CommandBuffers
// refer to command buffers that were waited for but did not exist in the requested range.
func (t *Trace) Buffer(i CommandBufferIndex) *CommandBuffer {
	switch n := CommandBufferIndex(len(t.CommandBuffers)); {
	case i == NoCommandBuffer:
		return nil
	case i <= n:
		return &t.CommandBuffers[i-1]
	default:
		return &t.Range.referred[i-n-1]
	}
}

// Add appends a command buffer and returns its index. A loader may add command buffers in any order: Finish sorts
// them by creation and gives them new indices.
func (t *Trace) Add(b CommandBuffer) CommandBufferIndex {
	b.Index = CommandBufferIndex(len(t.CommandBuffers) + 1)
	t.CommandBuffers = append(t.CommandBuffers, b)
	return b.Index
}

// WaitsFor returns the command buffer that the call w waits for; nil when w waits for an event that no known command
// buffer signals, or when the command buffer is not known.
func (t *Trace) WaitsFor(w *Wait) *CommandBuffer { return t.Buffer(w.Buffer) }

// IndexCount returns the greatest CommandBufferIndex plus one. A slice of this length can hold one value per command
// buffer, indexed by CommandBufferIndex.
func (t *Trace) IndexCount() int { return 1 + len(t.CommandBuffers) + len(t.Range.referred) }

// Encoded reports whether the trace has any encoder. Without one, CommandBuffer.Empty means nothing.
func (t *Trace) Encoded() bool {
	for b := range t.Buffers() {
		if len(b.Encoders) > 0 {
			return true
		}
	}
	return false
}
