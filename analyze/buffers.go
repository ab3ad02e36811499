package analyze

import "iter"

// Each iterates over pointers to the elements of a list, so that nothing is copied.
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

// Buffer returns the command buffer with an index; nil for NoCommandBuffer.
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

// Add adds a command buffer. The order of calls does not matter: Finish sorts.
func (t *Trace) Add(b CommandBuffer) CommandBufferIndex {
	b.Index = CommandBufferIndex(len(t.CommandBuffers) + 1)
	t.CommandBuffers = append(t.CommandBuffers, b)
	return b.Index
}

// WaitsFor returns the command buffer that a wait is for; nil when it is for none, or for one that is not known.
func (t *Trace) WaitsFor(w *Wait) *CommandBuffer { return t.Buffer(w.Buffer) }

// IndexCount is the greatest CommandBufferIndex plus one: the length of a slice that is to hold one value for each
// command buffer.
func (t *Trace) IndexCount() int { return 1 + len(t.CommandBuffers) + len(t.Range.referred) }
