package evidence

import "mtrace/analyze"

// A column has a value for each command buffer of a trace, by CommandBufferIndex: what is learned of millions of them lies side by side.
type column[T any] []T

func newColumn[T any](t *analyze.Trace) column[T] { return make(column[T], t.IndexCount()) }

// at is the value of a command buffer; nil where there is none, and of no command buffer.
func (c column[T]) at(i analyze.CommandBufferIndex) *T {
	if i == analyze.NoCommandBuffer || int(i) >= len(c) {
		return nil
	}
	return &c[i]
}
