package insight

import (
	"cmp"
	"fmt"
	"slices"

	"mtrace/analyze"
)

// sharedBuffers finds two encoders of different threads that are open in one command buffer at the same time. Only one
// thread at a time may use a command buffer and its encoder.
func sharedBuffers(in *Input) *Insight {
	n := 0
	var first *analyze.CommandBuffer
	var where sites
	threads := map[*analyze.Thread]bool{}
	for b := range in.Trace.Buffers() {
		one, other := openTogether(b.Encoders)
		if one == nil {
			continue
		}
		if n++; first == nil {
			first = b
		}
		for _, e := range []*analyze.Encoder{one, other} {
			threads[e.Created.Thread] = true
			where.add(&e.Created, "an encoder made", b.Label, 1, 0, 0)
		}
	}
	if n == 0 {
		return nil
	}
	return &Insight{Severity: Warning, Where: where.most(),
		Evidence: fmt.Sprintf("%s had encoders of two threads open at the same time, of %s in all; the first is %s",
			analyze.Plural(n, "command buffer"), analyze.Plural(len(threads), "thread"), nameOf(first)),
		Advice: "this is not safe: Metal's command buffers and encoders may be used by one thread at a time. Give " +
			"each thread a " +
			"command buffer of its own, and enqueue them in the order in which they are to run, or use a parallel " +
			"render encoder"}
}

// openTogether returns two encoders of different threads that were open at the same time; nil if there are none.
func openTogether(list []analyze.Encoder) (one, other *analyze.Encoder) {
	if len(list) < 2 {
		return nil, nil
	}
	var known []*analyze.Encoder
	for i := range list {
		if e := &list[i]; e.Created.Thread != nil && (e.Kind == analyze.EncoderCompute ||
			e.Kind == analyze.EncoderBlit) && e.Created.Known() && e.Ended.Known() && e.Layer == nil {
			known = append(known, e)
		}
	}
	slices.SortFunc(known, func(a, b *analyze.Encoder) int { return cmp.Compare(a.Created.End, b.Created.End) })
	for i, e := range known {
		for _, later := range known[i+1:] {
			if later.Created.End >= e.Ended.Begin {
				break
			}
			if later.Created.Thread != e.Created.Thread {
				return e, later
			}
		}
	}
	return nil, nil
}
