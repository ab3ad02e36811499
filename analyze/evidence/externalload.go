package evidence

import (
	"cmp"
	"maps"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// ExternalLoad has the evidence that an external process uses the GPU. The main sign: the driver had submitted a
// command buffer, and the GPU did not begin it although it ran nothing of the traced program. A second sign: a
// command buffer took far longer than the same work usually does, as if it was interrupted. Some fields speak against
// external load; the package cause decides.
type ExternalLoad struct {
	Delays    int           // command buffers for which it is known when the driver submitted them to the GPU
	Late      int           // the part of Delays that began late on an idle GPU
	Stalls    int           // how often queues stalled: late command buffers of a queue behind one stall count once
	Moments   int           // separate stalls: the queues and devices that stalled at the same time count once
	Usual     analyze.Nanos // median delay of the late command buffers
	Waited    analyze.Nanos // thread time in waits until the late ones began
	Saturated bool          // the GPU is saturated: work begins late because of the program's own work
	AllStood  bool          // the whole GPU stopped at times, not only single command buffers
	// time in which a GPU was idle although a late command buffer was ready. If AllStood, it includes the times in which
	// the whole GPU stopped
	IdleReady analyze.Nanos
	// Time in which the program's threads waited for a processor, and total delay of late completion notifications.
	// If these are large, the driver too may have lacked processors to submit work in time, which looks like external
	// load.
	WaitedForProcessors, LateNotices analyze.Nanos

	Interrupted Interruptions
	// for each late command buffer: from when it was ready until it began
	held map[analyze.CommandBufferIndex]analyze.Interval
	// for each command buffer that took far longer than usual: the time beyond the usual, in which it was interrupted
	stood  map[analyze.CommandBufferIndex]analyze.Interval
	delays []delay // of all command buffers in Delays
	work   *GPUWork
}

// Interruptions has the cost of interrupted command buffers: those that took far longer than the same work usually
// does.
type Interruptions struct {
	Buffers        int
	Itself, Behind analyze.Nanos // thread time in waits for them, and in waits for work that was queued behind them
	Busiest        analyze.Nanos // the part on the busiest device, within its busy time
}

// externalInput has the inputs of FindExternalLoad.
type externalInput struct {
	work      *GPUWork
	releases  *Releases
	occupancy *Occupancy
}

// FindExternalLoad finds the evidence of external load. A single delay proves nothing: unless there are several late
// command buffers, or the whole GPU stopped at times, it sets only the first fields.
func FindExternalLoad(work *GPUWork, releases *Releases, occupancy *Occupancy, submitters *Submitters) ExternalLoad {
	in := externalInput{work, releases, occupancy}
	f := ExternalLoad{delays: in.startDelays(), work: work, Saturated: occupancy.Saturated}
	if f.Delays = len(f.delays); f.Delays < policy.FewestOccurrences.Count() {
		return f
	}
	f.stood = in.interrupted()
	f.AllStood = in.allStood(f.stood, f.delays)
	if f.Saturated && !f.AllStood {
		return f
	}
	held, late, gaps := in.beganLate(f.delays)
	f.Late, f.Moments = len(late), moments(gaps)
	if f.Stalls = in.work.queueStalls(gaps); !f.Enough() {
		return f
	}
	f.held, f.Usual = held, Median(late)
	for w := range analyze.Each(work.trace.Waits) {
		if d, known := held[w.Buffer]; known {
			d = d.Intersect(work.queued(w))
			f.Waited += d.Length() - work.Of(work.trace.WaitsFor(w)).any.LengthWithin(d)
		}
	}
	f.Interrupted = in.interruptionsBy(f.stood)
	f.WaitedForProcessors, f.LateNotices = in.waitedForProcessors(submitters), in.lateNotices()
	if f.IdleReady = in.idleDuring(held); f.AllStood {
		f.IdleReady += f.Interrupted.Busiest
	}
	return f
}

// Enough reports whether queues stalled often enough, and at several times, or the whole GPU stopped, to speak of
// external load. The command buffers behind a single stall are no independent observations, however many they are.
func (f *ExternalLoad) Enough() bool {
	return f.AllStood || !f.Saturated && f.Stalls >= policy.FewestOccurrences.Count() &&
		f.Moments >= policy.FewestThreadOccurrences.Count()
}

// beganLate finds the command buffers that began late although the driver had submitted them and the GPU was idle. It
// returns the time in which each was delayed, and the idle GPU gaps in these delays with their lengths.
func (in externalInput) beganLate(delays []delay) (held map[analyze.CommandBufferIndex]analyze.Interval,
	late []analyze.Nanos, gaps map[analyze.CommandBufferIndex]analyze.Interval) {
	var all []analyze.Nanos
	idle := make([]analyze.Interval, len(delays))
	for i, d := range delays {
		// the longest gap counts, not their sum: many short gaps between other command buffers are no external load
		for _, gap := range in.work.Of(in.work.trace.Buffer(d.of)).any.Gaps(d.Interval) {
			if gap.Length() > idle[i].Length() {
				idle[i] = gap
			}
		}
		all = append(all, idle[i].Length())
	}
	slices.Sort(all)
	usual := min(all[len(all)/policy.FastestDivisor], policy.LongestHandOff.Nanos())
	held = map[analyze.CommandBufferIndex]analyze.Interval{}
	gaps = map[analyze.CommandBufferIndex]analyze.Interval{}
	for i, d := range delays {
		if n := idle[i].Length(); n > policy.LongestHandOff.Nanos() {
			late = append(late, n)
			held[d.of], gaps[d.of] = analyze.Interval{Begin: d.Begin + usual, End: d.End}, idle[i]
		}
	}
	return held, late, gaps
}

// moments returns at how many separate times the intervals of command buffers lie: the largest number of intervals that
// do not overlap. One stall can delay command buffers of several queues and devices.
func moments(of map[analyze.CommandBufferIndex]analyze.Interval) int {
	return apart(slices.Collect(maps.Values(of)))
}

// queueStalls returns the sum over the queues of the times at which their command buffers' intervals lie.
func (g *GPUWork) queueStalls(of map[analyze.CommandBufferIndex]analyze.Interval) (n int) {
	lists := map[*analyze.Queue][]analyze.Interval{}
	for b, i := range of {
		q := g.trace.Buffer(b).Queue
		lists[q] = append(lists[q], i)
	}
	for _, list := range lists {
		n += apart(list)
	}
	return n
}

// apart returns the largest number of intervals of the list that do not overlap. It sorts the list.
func apart(list []analyze.Interval) (n int) {
	slices.SortFunc(list, func(a, b analyze.Interval) int { return cmp.Compare(a.End, b.End) })
	var last analyze.Nanos
	for k, i := range list {
		if k == 0 || i.Begin >= last {
			n, last = n+1, i.End
		}
	}
	return n
}

// An ExternalGPUUse tells how much GPU time an external process took from each command buffer of the traced program.
// The zero value means that it took none.
type ExternalGPUUse struct {
	late  map[analyze.CommandBufferIndex]analyze.Nanos
	stood map[analyze.CommandBufferIndex]analyze.Interval
}

// Taken returns the GPU time that an external process took. Call it only after deciding that an external process is
// the reason for the late command buffers. Pass `interruptions` as true only if that process is also the reason for
// the interrupted command buffers.
func (f *ExternalLoad) Taken(interruptions bool) ExternalGPUUse {
	var taken ExternalGPUUse
	if interruptions {
		taken.stood = f.stood
	}
	taken.late = f.work.heldUp(f.delays, f.held, taken.stood)
	return taken
}

// Of returns how much later command buffer b began because of an external process, and for how long b was
// interrupted.
func (g ExternalGPUUse) Of(b analyze.CommandBufferIndex) (late, stood analyze.Nanos) {
	return g.late[b], g.stood[b].Length()
}

// heldUp returns, for each delayed command buffer, for how much of its delay an external process evidently had the
// GPU. There are two signs: the command buffer is in `held`, or at that time another command buffer of the program on
// the same GPU was interrupted (it is in `stood`).
func (g *GPUWork) heldUp(delays []delay, held,
	stood map[analyze.CommandBufferIndex]analyze.Interval) map[analyze.CommandBufferIndex]analyze.Nanos {
	lists := g.onDevices(held)
	for d, list := range g.onDevices(stood) {
		lists[d] = append(lists[d], list...)
	}
	taken, late := unions(lists), map[analyze.CommandBufferIndex]analyze.Nanos{}
	for _, d := range delays {
		if n := taken[g.Of(g.trace.Buffer(d.of))].LengthWithin(d.Interval); n > 0 {
			late[d.of] = n
		}
	}
	return late
}

// waitedForProcessors returns the time that a process's threads waited for a processor, divided by the number of its
// submitting threads, and summed over the processes. All threads count, because the driver's threads may be among
// them. It is 0 if the trace does not record this.
func (in externalInput) waitedForProcessors(submitters *Submitters) (sum analyze.Nanos) {
	submit := map[*analyze.Process]int{}
	for _, t := range submitters.Taking {
		submit[t.Thread.Process]++
	}
	for _, p := range in.work.trace.Processes {
		if cpu := p.CPUIn(in.work.trace.TimeRange); cpu.Waited != analyze.NotKnown {
			sum += cpu.Waited / analyze.Nanos(max(1, submit[p]))
		}
	}
	return sum
}

// lateNotices returns the time in which at least one completion notification was late: more than policy.LongestHandOff
// after the GPU's end.
func (in externalInput) lateNotices() analyze.Nanos {
	var list []analyze.Interval
	for b := range in.work.trace.Buffers() {
		if b.GPU.Known() && b.Completed.Known() && b.Completed.Begin-b.GPU.End > policy.LongestHandOff.Nanos() {
			list = append(list, analyze.Interval{Begin: b.GPU.End, End: b.Completed.Begin})
		}
	}
	return NewBusy(list).Total()
}

// idleDuring returns how long GPUs were idle while at least one command buffer in held was ready and delayed.
func (in externalInput) idleDuring(held map[analyze.CommandBufferIndex]analyze.Interval) (sum analyze.Nanos) {
	for d, list := range in.work.onDevices(held) {
		for _, i := range NewBusy(list).Spans() {
			sum += i.Length() - d.any.LengthWithin(i)
		}
	}
	return sum
}

// A delay is the time from when a command buffer could have begun on the GPU until it began.
type delay struct {
	analyze.Interval
	of analyze.CommandBufferIndex
}

// startDelays returns, for each command buffer, how long it took to begin on the GPU after it was ready and the
// driver had submitted it. Command buffers that waited for an event or whose submission time is not known are left
// out.
func (in externalInput) startDelays() (delays []delay) {
	for b, x := range in.releases.All() {
		if handed := max(b.Kernel.End, b.Scheduled); handed > 0 && b.GPU.Known() && x.Event.Length() == 0 {
			delays = append(delays, delay{analyze.Interval{Begin: min(max(handed, x.At), b.GPU.Begin), End: b.GPU.Begin},
				b.Index})
		}
	}
	return delays
}

// interrupted returns, for command buffers that took far longer than the same work usually does, the time beyond the
// median GPU time of that work. It is a sign of an external process only together with other evidence, because the
// time of a kernel may depend on its data.
func (in externalInput) interrupted() map[analyze.CommandBufferIndex]analyze.Interval {
	by := map[uint64][]*analyze.CommandBuffer{}
	for b := range in.work.trace.Buffers() {
		if work, known := b.Work(); known && b.GPU.Known() {
			by[work] = append(by[work], b)
		}
	}
	found := map[analyze.CommandBufferIndex]analyze.Interval{}
	for _, same := range by {
		if len(same) < policy.FewestOccurrences.Count() {
			continue
		}
		var lengths []analyze.Nanos
		for _, b := range same {
			lengths = append(lengths, b.GPU.Length())
		}
		usual := Median(lengths)
		for _, b := range same {
			if took := b.GPU.Length(); took > Scaled(usual, policy.OutlierRatio.Value) &&
				took-usual > policy.LongestHandOff.Nanos() {
				found[b.Index] = analyze.Interval{Begin: b.GPU.Begin + usual, End: b.GPU.End}
			}
		}
	}
	return found
}

// allStood reports whether the whole GPU stopped at times, not only single command buffers and not only once. That is
// so if three things hold for most of the interrupted time (stood): the GPU had another command buffer in progress,
// none began or ended, and work submitted meanwhile had to wait.
func (in externalInput) allStood(stood map[analyze.CommandBufferIndex]analyze.Interval, delays []delay) bool {
	waited := 0
	for _, n := range in.work.heldUp(delays, nil, stood) {
		if n > policy.LongestHandOff.Nanos() {
			waited++
		}
	}
	if min(len(stood), waited) < policy.FewestOccurrences.Count() ||
		moments(stood) < policy.FewestThreadOccurrences.Count() {
		return false
	}
	begins, ends := map[*Device][]analyze.Nanos{}, map[*Device][]analyze.Nanos{}
	for _, d := range in.work.Devices {
		for _, r := range d.running {
			begins[d], ends[d] = append(begins[d], r.Begin), append(ends[d], r.End)
		}
		slices.Sort(ends[d])
	}
	until := func(list []analyze.Nanos, at analyze.Nanos) int {
		n, _ := slices.BinarySearch(list, at+1)
		return n
	}
	var still, all analyze.Nanos
	for b, i := range stood {
		of := in.work.trace.Buffer(b)
		d, usual := in.work.Of(of), of.GPU.Length()-i.Length() // it runs at most that long after the interruption
		begun, ended := until(begins[d], i.Begin), until(ends[d], i.Begin)
		if all += i.Length(); begun-ended > 1 && until(begins[d], i.End-usual) == begun &&
			until(ends[d], i.End-usual) == ended {
			still += i.Length()
		}
	}
	return policy.AtLeast(policy.Majority, still, all)
}

func (in externalInput) interruptionsBy(interrupted map[analyze.CommandBufferIndex]analyze.Interval,
) (cost Interruptions) {
	cost.Buffers = len(interrupted)
	by := unions(in.work.onDevices(interrupted))
	for w := range analyze.Each(in.work.trace.Waits) {
		cost.Itself += overlap(interrupted[w.Buffer], w.Interval)
		cost.Behind += by[in.work.Of(in.work.trace.WaitsFor(w))].LengthWithin(in.work.queued(w))
	}
	cost.Busiest = by[in.work.byModel[in.occupancy.Busiest.Device]].Total()
	return cost
}

func (g *GPUWork) onDevices(intervals map[analyze.CommandBufferIndex]analyze.Interval,
) map[*Device][]analyze.Interval {
	lists := map[*Device][]analyze.Interval{}
	for b, i := range intervals {
		d := g.Of(g.trace.Buffer(b))
		lists[d] = append(lists[d], i)
	}
	return lists
}
