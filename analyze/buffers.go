package analyze

import "iter"

// Each goes over a list by what lies in it, and copies nothing.
func Each[T any](list []T) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

// Buffers goes over the command buffers, by creation.
func (t *Trace) Buffers() iter.Seq[*CommandBuffer] { return Each(t.CommandBuffers) }

// Buffer is the command buffer at an index; nil for none.
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

// Add adds a command buffer, in no order: Finish puts them in order.
func (t *Trace) Add(b CommandBuffer) CommandBufferIndex {
	b.Index = CommandBufferIndex(len(t.CommandBuffers) + 1)
	t.CommandBuffers = append(t.CommandBuffers, b)
	return b.Index
}

// WaitsFor is the command buffer that a wait is for; nil when it is for none, or that is not known.
func (t *Trace) WaitsFor(w *Wait) *CommandBuffer { return t.Buffer(w.Buffer) }

// IndexCount is one more than the greatest CommandBufferIndex, so that what is known of command buffers can be a column
// alongside them.
func (t *Trace) IndexCount() int { return 1 + len(t.CommandBuffers) + len(t.Range.referred) }
