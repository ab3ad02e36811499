package evidence

import "mtrace/analyze"

// A Launch is the time that launching a typical command buffer takes.
type Launch struct {
	// Time is the thread time to submit it and to be notified: the sum of the medians of encoding, committing, scheduling
	// and notify, so that a few that were held up do not count.
	Time analyze.Nanos
	GPU  analyze.Nanos // median time that the GPU works on it
	// command buffers that could be one
	Bursts Bursts
}

// TypicalLaunch finds that. Solo is the duration of a commit without others beside it. It leaves out command buffers
// that events, others in their queue, or another program held up, and those whose completion the program's handlers
// delayed.
func TypicalLaunch(work *GPUWork, releases *Releases, solo analyze.Nanos, external *ExternalLoad) Launch {
	var encode, commit, gpu, before, after []analyze.Nanos
	for b := range work.trace.Buffers() {
		if !b.Committed.Known() || !b.GPU.Known() {
			continue
		}
		commit, gpu = append(commit, min(b.Committed.Length(), solo)), append(gpu, b.Took(b.GPU))
		sum := analyze.Nanos(0)
		for i := range b.Encoders {
			if e := &b.Encoders[i]; e.Created.Known() && e.Ended.Known() {
				sum += max(0, e.Ended.End-e.Created.Begin)
			}
		}
		encode = append(encode, sum)
	}
	for w := range analyze.Each(work.trace.Waits) {
		if x := releases.Of(w.Buffer); x == nil || x.Head.Length() > 0 || x.Event.Length() > 0 ||
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
		FindBursts(work.trace)}
}

// DispatchTime returns the thread time that it takes to encode one dispatch, with what is set for it.
func (times *ThreadTimes) DispatchTime() analyze.Nanos {
	dispatches := 0
	for _, t := range times.Threads {
		dispatches += t.Dispatches
	}
	return times.Sum(analyze.PartEncode) / analyze.Nanos(max(1, dispatches))
}
