package evidence

import (
	"cmp"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// An EncodingCall is the call with which threads spend most of their encoding time.
type EncodingCall struct {
	Selector string // empty if there is none
	Count    int64
	// Time is the part of all encoding time (Encoding) that is spent in these calls and between them. Between is the
	// part of Time between the calls, in which for example an interpreter prepares the next call.
	Time, Between analyze.Nanos
	Encoding      analyze.Nanos
}

// FindEncodingCall returns the call that makes up at least half of the encoding time and is made at least once for
// each command buffer, on average. Time between two calls, while an encoder is open, counts for these calls if they
// follow each other quickly: a Python program spends most of its encoding time there.
func FindEncodingCall(t *analyze.Trace) EncodingCall {
	open, commandBuffers := map[*analyze.Thread]analyze.Nanos{}, int64(0)
	for b := range t.Buffers() {
		commandBuffers++
		for i := range b.Encoders {
			if e := &b.Encoders[i]; e.Created.Known() && e.Ended.Known() && e.Created.Thread == e.Ended.Thread {
				open[e.Created.Thread] += max(0, e.Ended.End-e.Created.Begin)
			}
		}
	}
	own, calls := map[*analyze.Thread]analyze.Nanos{}, map[*analyze.Thread]int64{}
	for _, c := range t.Calls {
		if c.Part == analyze.PartEncode {
			for th, n := range c.Exclusive {
				own[th] += n
			}
			for th, n := range c.Counts {
				calls[th] += n
			}
		}
	}
	// each is a thread's mean time between two calls; 0 if that is so long that the thread must have done something else
	// while its encoders were open
	each := map[*analyze.Thread]float64{}
	var all analyze.Nanos
	for th, n := range own {
		all += n
		between := open[th] - n
		if calls[th] > 0 && between > 0 && between <= policy.MostBetweenCalls*analyze.Nanos(calls[th]) {
			each[th] = float64(between) / float64(calls[th])
			all += between
		}
	}
	by := map[string]*EncodingCall{}
	for _, c := range t.Calls {
		if c.Part != analyze.PartEncode {
			continue
		}
		if by[c.Selector] == nil {
			by[c.Selector] = &EncodingCall{Selector: c.Selector, Encoding: all}
		}
		sum := by[c.Selector]
		sum.Count += c.Count
		for _, n := range c.Exclusive {
			sum.Time += n
		}
		for th, n := range c.Counts {
			sum.Between += analyze.Nanos(float64(n) * each[th])
		}
	}
	var most EncodingCall
	for _, c := range by {
		if c.Time += c.Between; cmp.Or(cmp.Compare(c.Time, most.Time), cmp.Compare(most.Selector, c.Selector)) > 0 {
			most = *c
		}
	}
	if most.Time*2 < all || most.Count < commandBuffers { // a few slow calls are no pattern
		return EncodingCall{}
	}
	return most
}
