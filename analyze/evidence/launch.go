package evidence

import "mtrace/analyze"

// TypicalLaunch is what launching one command buffer takes, and how long the GPU works on it: the sum of the medians of
// encoding, committing, and of what its thread waited before and after the GPU's work, so that a few that were held up
// do not count. Command buffers that events or others in their queue held up, or whose completion the program's
// handlers did, are left out.
func (ev *Evidence) TypicalLaunch() (launch, work analyze.Nanos) {
	var encode, commit, gpu, before, after []analyze.Nanos
	solo := ev.SoloCommit()
	for b := range ev.Trace.Buffers() {
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
	for w := range analyze.Each(ev.Trace.Waits) {
		if x := ev.ReleaseOf(w.Buffer); x == nil || x.Head.Length() > 0 || x.Event.Length() > 0 ||
			ev.Foreign.held[w.Buffer].Length() > 0 ||
			ev.Trace.WaitsFor(w).Handlers > 0 || Awaited(ev.Trace, w) != w.Thread {
			continue
		}
		for _, p := range ev.Work.Split(w) {
			switch p.Part {
			case analyze.PartWaitScheduling:
				before = append(before, p.Nanos)
			case analyze.PartWaitNotify:
				after = append(after, p.Nanos)
			}
		}
	}
	return Median(encode) + Median(commit) + Median(before) + Median(after), Median(gpu)
}

// LaunchTime is the thread time that it usually takes to hand over one command buffer and to hear back: encoding,
// committing, scheduling and notify. Those that something held up do not count.
func (ev *Evidence) LaunchTime() analyze.Nanos {
	launch, _ := ev.TypicalLaunch()
	return launch
}

// DispatchTime is the thread time that it takes to encode one dispatch, with what is set for it.
func (ev *Evidence) DispatchTime() analyze.Nanos {
	dispatches := 0
	for _, t := range ev.Times.Threads {
		dispatches += t.Dispatches
	}
	return ev.Times.Sum(analyze.PartEncode) / analyze.Nanos(max(1, dispatches))
}
