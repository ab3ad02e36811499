package insight

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
)

// sharedBuffers finds command buffers and encoders that several threads use at the same time, which Metal does not
// allow. Two encoders of different threads open in one command buffer are a warning. Threads that encode alternately
// into one encoder are a remark, because a lock or serial dispatch queue may order their calls, as in PyTorch.
func sharedBuffers(in *Input) *Insight {
	buffers, encoders := 0, 0
	var first *analyze.CommandBuffer
	var where sites
	threads := map[*analyze.Thread]bool{}
	for b := range in.Trace.Buffers() {
		shared := false
		if one, other := openTogether(b.Encoders); one != nil {
			buffers++
			shared = true
			for _, e := range []*analyze.Encoder{one, other} {
				threads[e.Created.Thread] = true
				where.add(&e.Created, "an encoder made", b.Label, 1, 0, 0)
			}
		}
		for i := range b.Encoders {
			e := &b.Encoders[i]
			users := usersTogether(e.Users)
			if len(users) == 0 || e.Layer != nil {
				continue
			}
			encoders++
			shared = true
			where.add(&e.Created, "an encoder made", b.Label, 1, 0, 0)
			for _, t := range users {
				threads[t] = true
			}
		}
		if shared && first == nil {
			first = b
		}
	}
	if first == nil {
		return nil
	}
	i := &Insight{Severity: Warning, Where: where.most(),
		Advice: "this is not safe: Metal's command buffers and encoders may be used by one thread at a time. " +
			"Give each thread a command buffer of its own, " +
			"and enqueue them in the order in which they are to run, or use a parallel render encoder"}
	if buffers == 0 {
		i.Severity = Info // locks and dispatch queues that order the calls are not in the trace
		i.Advice = "this is safe only if a lock or a serial dispatch queue orders the threads' calls: " +
			"Metal's encoders may be used by one thread at a time. " +
			"Without it, give each thread a command buffer of its own"
	}
	var found []string
	if buffers > 0 {
		found = append(found, analyze.Plural(buffers, "command buffer")+" had encoders of two threads open at the "+
			"same time")
	}
	if encoders > 0 {
		found = append(found, "several threads encoded alternately into "+analyze.Plural(encoders, "encoder"))
	}
	i.Evidence = fmt.Sprintf("%s, of %s in all; the first is %s", strings.Join(found, ", and "),
		analyze.Plural(len(threads), "thread"), nameOf(first))
	return i
}

// usersTogether returns the threads that use an encoder while another thread uses it. It leaves out threads that use
// the encoder one after the other.
func usersTogether(users []analyze.EncoderUse) (threads []*analyze.Thread) {
	for i, one := range users {
		for k, other := range users {
			if i != k && one.Begin < other.End && other.Begin < one.End {
				threads = append(threads, one.Thread)
				break
			}
		}
	}
	return threads
}

// openTogether returns two encoders of different threads that were open at the same time, or nil.
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
