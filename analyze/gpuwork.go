package analyze

import (
	"cmp"
	"iter"
	"slices"
)

// GPUWork is a row of GPU work: a time in which one channel of the GPU ran something of a command buffer. A command
// buffer's rows may overlap, leave gaps, and be interleaved with those of other command buffers. The time that a
// command buffer took (Took) is the union of its rows, and a GPU is busy for the union of all rows. The plain sum of
// rows counts twice what ran at the same time.
type GPUWork struct {
	Interval
	// the name in Instruments: "Vertex", "Fragment", "Compute" or "Blit"; "" when not known, as in mtrace's own traces
	Channel string
	Encoder int // index into the command buffer's Encoders; NoEncoder when the row is for the whole command buffer
	Label   string
}

// NoEncoder is the Encoder of a row that is for the whole command buffer.
const NoEncoder = -1

// GPUWork returns the command buffer's rows in the order in which they began. In mtrace's own traces there is one row,
// or one row for each encoder if the GPU's own clock measured all of them.
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

// OneRow says whether the command buffer has only one row, which is the time from the start of its work to the end.
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

// Took returns how long the GPU worked on the command buffer in a window: the union of its rows.
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

// RowTime returns the sum of the command buffer's rows in a window.
func (b *CommandBuffer) RowTime(window Interval) (sum Nanos) {
	if b.OneRow() {
		return b.Took(window)
	}
	for w := range b.GPUWork() {
		sum += w.Within(window).Length()
	}
	return sum
}

// StartLatency returns the time from the command buffer's commit to when the GPU began to work on it. It is not known
// when one of the two is not, or when the commit was outside of the window.
func (b *CommandBuffer) StartLatency(window Interval) (latency Nanos, known bool) {
	if !b.GPU.Known() || !b.Committed.Known() || b.Committed.Begin < window.Begin || b.Committed.Begin > window.End {
		return 0, false
	}
	return max(0, b.GPU.Begin-b.Committed.Begin), true
}

// Device returns the device that the command buffer runs on; nil when it is not known.
func (b *CommandBuffer) Device() *Device {
	if b == nil || b.Queue == nil {
		return nil
	}
	return b.Queue.Device
}

// Within returns the part of the interval that is in a window. If there is none, the result has its end before its
// begin, and length 0.
func (i Interval) Within(window Interval) Interval {
	return Interval{max(i.Begin, window.Begin), min(i.End, window.End)}
}

// Union sorts intervals and joins those that overlap or touch. The result is a new, ascending list without overlaps and
// without empty intervals.
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
