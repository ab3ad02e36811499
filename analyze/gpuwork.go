package analyze

import (
	"cmp"
	"iter"
	"slices"
)

// GPUWork is a row of what a GPU did: a time in which one of its channels ran something of a command buffer. The rows
// of one command buffer may overlap, leave gaps, and be interleaved with those of others: it took the union of them
// (Took), a GPU is busy for the union of all rows, and the sum of rows counts twice what ran at the same time.
type GPUWork struct {
	Interval
	// as Instruments calls it: "Vertex", "Fragment", "Compute", "Blit"; "" when not known, as in our own traces
	Channel string
	Encoder int // its place in the command buffer's Encoders; NoEncoder when it stands for all of them
	Label   string
}

// NoEncoder is the encoder of a row that stands for the whole command buffer.
const NoEncoder = -1

// GPUWork are the rows of the command buffer, by begin. In our own traces that is one row, or one an encoder when the
// GPU's own clock measured every encoder.
func (b *CommandBuffer) GPUWork() iter.Seq[GPUWork] {
	return func(yield func(GPUWork) bool) {
		switch {
		case !b.GPU.Known():
		case len(b.Rows) > 0:
			for i := range b.Rows {
				if !yield(b.Rows[i]) {
					return
				}
			}
		case b.measured():
			for i := range b.Encoders {
				e := &b.Encoders[i]
				if !yield(GPUWork{e.GPU.Within(b.GPU), "", i, e.Label}) {
					return
				}
			}
		default:
			yield(GPUWork{b.GPU, "", NoEncoder, b.Label})
		}
	}
}

// OneRow says whether its only row, if it ran, is all of the time from the begin of its work to the end.
func (b *CommandBuffer) OneRow() bool { return len(b.Rows) == 0 && !b.measured() }

// measured says whether the GPU's own clock measured every encoder.
func (b *CommandBuffer) measured() bool {
	for i := range b.Encoders {
		if !b.Encoders[i].GPU.Known() {
			return false
		}
	}
	return len(b.Encoders) > 0
}

// Took is how long the GPU worked on the command buffer in a window: the union of its rows.
func (b *CommandBuffer) Took(window Interval) Nanos {
	if b.OneRow() {
		if !b.GPU.Known() {
			return 0
		}
		return b.GPU.Within(window).Length()
	}
	var rows []Interval
	for w := range b.GPUWork() {
		rows = append(rows, w.Within(window))
	}
	var took Nanos
	for _, i := range Union(rows) {
		took += i.Length()
	}
	return took
}

// RowTime is the sum of the command buffer's rows in a window.
func (b *CommandBuffer) RowTime(window Interval) (sum Nanos) {
	if b.OneRow() {
		return b.Took(window)
	}
	for w := range b.GPUWork() {
		sum += w.Within(window).Length()
	}
	return sum
}

// StartLatency is the time from the commit of the command buffer to its first work on the GPU. It is not known when one
// of them is not, or when it was committed beside the window.
func (b *CommandBuffer) StartLatency(window Interval) (latency Nanos, known bool) {
	if !b.GPU.Known() || !b.Committed.Known() || b.Committed.Begin < window.Begin || b.Committed.Begin > window.End {
		return 0, false
	}
	return max(0, b.GPU.Begin-b.Committed.Begin), true
}

// Device is what the command buffer runs on; nil when it is not known.
func (b *CommandBuffer) Device() *Device {
	if b == nil || b.Queue == nil {
		return nil
	}
	return b.Queue.Device
}

// Within is the part of the interval in a window. It is before its begin and has no length when there is none.
func (i Interval) Within(window Interval) Interval {
	return Interval{max(i.Begin, window.Begin), min(i.End, window.End)}
}

// Union sorts intervals, and merges those that touch into new ones: what comes out is disjoint and ascending, without
// intervals that have no length.
func Union(list []Interval) []Interval {
	slices.SortFunc(list, func(a, b Interval) int { return cmp.Compare(a.Begin, b.Begin) })
	var out []Interval
	for _, i := range list {
		n := len(out)
		switch {
		case i.End <= i.Begin:
		case n > 0 && i.Begin <= out[n-1].End:
			out[n-1].End = max(out[n-1].End, i.End)
		default:
			out = append(out, i)
		}
	}
	return out
}
