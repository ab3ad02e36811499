package analyze

import (
	"cmp"
	"iter"
	"slices"
)

// NoEncoder is the value of GPUWork.Encoder for a row that belongs to the whole command buffer.
const NoEncoder = -1

// GPUWork iterates over the command buffer's rows of GPU work, by begin. In mtrace's own traces there is one row for
// the command buffer, or one row per encoder if the GPU's clock measured all encoders. Without GPU times there are
// none.
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
				if !yield(GPUWork{e.GPU.Intersect(b.GPU), "", i, e.Label}) {
					return
				}
			}
		default:
			yield(GPUWork{b.GPU, "", NoEncoder, b.Label})
		}
	}
}

// OneRow reports whether the command buffer has a single row of GPU work, which lasts from the start of the command
// buffer's GPU work to its end.
func (b *CommandBuffer) OneRow() bool { return len(b.Rows) == 0 && !b.measured() }

// measured reports whether the command buffer has encoders and the GPU's clock measured every one of them.
func (b *CommandBuffer) measured() bool {
	for i := range b.Encoders {
		if !b.Encoders[i].GPU.Known() {
			return false
		}
	}
	return len(b.Encoders) > 0
}

// Took returns how long the GPU worked on the command buffer within `window`: the length of the union of its rows of
// GPU work. Times in which two rows overlap count once.
func (b *CommandBuffer) Took(window Interval) Nanos {
	if b.OneRow() {
		if !b.GPU.Known() {
			return 0
		}
		return b.GPU.Intersect(window).Length()
	}
	var rows []Interval
	for w := range b.GPUWork() {
		rows = append(rows, w.Intersect(window))
	}
	var took Nanos
	for _, i := range Union(rows) {
		took += i.Length()
	}
	return took
}

// RowTime returns the sum of the lengths of the command buffer's rows of GPU work within `window`. Times in which two
// rows overlap count twice; see Took.
func (b *CommandBuffer) RowTime(window Interval) (sum Nanos) {
	if b.OneRow() {
		return b.Took(window)
	}
	for w := range b.GPUWork() {
		sum += w.Intersect(window).Length()
	}
	return sum
}

// StartLatency returns the time from the command buffer's commit until the GPU began to work on it. `known` is false
// if one of the two instants is not known or the commit was outside of window.
func (b *CommandBuffer) StartLatency(window Interval) (latency Nanos, known bool) {
	if !b.GPU.Known() || !b.Committed.Known() || b.Committed.Begin < window.Begin || b.Committed.Begin > window.End {
		return 0, false
	}
	return max(0, b.GPU.Begin-b.Committed.Begin), true
}

// Device returns the device that the command buffer's queue belongs to; nil when it is not known.
func (b *CommandBuffer) Device() *Device {
	if b == nil || b.Queue == nil {
		return nil
	}
	return b.Queue.Device
}

// Intersect returns the part of the interval that is inside window. If there is none, the result ends before it begins,
// and its Length is 0.
func (i Interval) Intersect(window Interval) Interval {
	return Interval{max(i.Begin, window.Begin), min(i.End, window.End)}
}

// Union returns the time covered by the intervals of a list: an ascending list without overlaps and without empty
// intervals. It sorts the passed list.
func Union(list []Interval) []Interval {
	slices.SortFunc(list, func(a, b Interval) int { return cmp.Compare(a.Begin, b.Begin) })
	out := make([]Interval, 0, len(list))
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
