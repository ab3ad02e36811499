package evidence

import "mtrace/analyze"

// A Launch is the time that launching a typical command buffer takes.
type Launch struct {
	// Time is the thread time to submit a command buffer and to be notified of its completion: the sum of the medians
	// of encoding, committing, scheduling and notification. Medians keep a few delayed command buffers from
	// distorting the sum.
	Time analyze.Nanos
	GPU  analyze.Nanos // median time that the GPU works on a command buffer that does not fail
	// series of command buffers that could be encoded into one
	Bursts Bursts
	// the call that makes up most of the encoding
	Encoding EncodingCall
	Small    SmallEncoders
}

// TypicalLaunch computes what launching a command buffer costs. `solo` is the duration of a commit without concurrent
// commits; longer commits count as `solo`. It leaves out waits for command buffers that events, other command buffers
// in their queue, an external process or completion handlers delayed.
func TypicalLaunch(work *GPUWork, releases *Releases, solo analyze.Nanos, external *ExternalLoad) Launch {
	var encode, commit, gpu, before, after []analyze.Nanos
	for b := range work.trace.Buffers() {
		if !b.Committed.Known() || !b.GPU.Known() {
			continue
		}
		commit = append(commit, min(b.Committed.Length(), solo))
		if !b.Failed() {
			gpu = append(gpu, b.Took(b.GPU))
		}
		sum := analyze.Nanos(0)
		for i := range b.Encoders {
			if e := &b.Encoders[i]; e.Created.Known() && e.Ended.Known() {
				sum += max(0, e.Ended.End-e.Created.Begin)
			}
		}
		encode = append(encode, sum)
	}
	for w := range analyze.Each(work.trace.Waits) {
		if x := releases.ReleaseOf(w.Buffer); x == nil || x.Head.Length() > 0 || x.Event.Length() > 0 ||
			external.held[w.Buffer].Length() > 0 ||
			work.trace.WaitsFor(w).Handlers > 0 || Awaited(work.trace, w) != w.Thread {
			continue
		}
		for _, p := range work.Split(w) {
			switch p.Part {
			case analyze.PartWaitScheduling:
				before = append(before, p.Nanos)
			case analyze.PartWaitNotify:
				after = append(after, p.Nanos)
			}
		}
	}
	return Launch{Median(encode) + Median(commit) + Median(before) + Median(after), Median(gpu),
		FindBursts(work.trace), FindEncodingCall(work.trace), FindSmallEncoders(work.trace)}
}

// DispatchTime returns the mean thread time to encode one dispatch, including the calls that set its arguments.
func (times *ThreadTimes) DispatchTime() analyze.Nanos {
	dispatches := 0
	for _, t := range times.Threads {
		dispatches += t.Dispatches
	}
	return times.Sum(analyze.PartEncode) / analyze.Nanos(max(1, dispatches))
}
