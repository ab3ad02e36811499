package evidence

import (
	"fmt"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// ExternalLoad is how much another program uses the GPU, as far as it shows. It shows if the driver had given work to
// the GPU, and the GPU ran nothing of the traced program and did not begin that work. Then a command buffer that takes far
// longer than the same work usually does was interrupted by the other program.
type ExternalLoad struct {
	Why string // why it is not so; empty where another program has the GPU
	// command buffers of which it is known when the driver handed them to the GPU
	Delays int
	Late   int                                             // of them, that began late on an idle GPU
	Usual  analyze.Nanos                                   // what those waited, median
	Began  analyze.Nanos                                   // thread time in waits for them, whatever the reason
	held   map[analyze.CommandBufferIndex]analyze.Interval // when each of them was held up
	stood  map[analyze.CommandBufferIndex]analyze.Interval // when those that were interrupted stood still
	Cost   interruptions                                   // by them, where another program has the GPU
	late   map[analyze.CommandBufferIndex]analyze.Nanos    // how much later another program let each begin
}

// externalInput is what shows it.
type externalInput struct {
	work       *GPUWork
	releases   *Releases
	occupancy  *Occupancy
	submitters *Submitters
	processors *Processors
}

// FindExternalLoad finds what shows that.
func FindExternalLoad(work *GPUWork, releases *Releases, occupancy *Occupancy, submitters *Submitters,
	processors *Processors) (f ExternalLoad) {
	in := externalInput{work, releases, occupancy, submitters, processors}

	delays := in.startDelays()
	if f.Delays = len(delays); f.Delays < policy.Pattern.Count() {
		f.Why = "when the driver handed work to the GPU is not in the trace"
		return f
	}
	stood := in.interrupted()
	still := in.allStood(stood, delays)
	if in.occupancy.Saturated && !still {
		f.Why = "the GPU had no idle time"
		return f
	}
	var all, each []analyze.Nanos
	for _, d := range delays {
		longest := analyze.Nanos(0) // what others' work leaves between is no other program's, however much it adds up to
		for _, gap := range in.work.Of(in.work.trace.Buffer(d.of)).any.Gaps(d.Interval) {
			longest = max(longest, gap.Length())
		}
		all = append(all, longest)
	}
	idle := slices.Clone(all)
	slices.Sort(all)
	usual := min(all[len(all)/policy.Quick], policy.Launch.Nanos())
	held := map[analyze.CommandBufferIndex]analyze.Interval{}
	for i, d := range delays {
		if idle[i] > policy.Launch.Nanos() {
			f.Late++
			each = append(each, idle[i])
			held[d.of] = analyze.Interval{Begin: d.Begin + usual, End: d.End}
		}
	}
	if f.Late < policy.Pattern.Count() && !still {
		f.Why = fmt.Sprintf("of %d command buffers that the driver handed to an idle GPU, %d began more than %s late",
			f.Delays, f.Late, policy.Launch.Nanos())
		return f
	}
	f.held, f.Usual = held, Median(each)
	for w := range analyze.Each(in.work.trace.Waits) {
		if d, known := held[w.Buffer]; known {
			d = d.Within(in.work.queued(w))
			f.Began += d.Length() - in.work.Of(in.work.trace.WaitsFor(w)).any.Within(d)
		}
	}
	// What keeps a processor from those who hand work to the GPU keeps it from those who hear of its end, and from the
	// program's threads.
	waited, rested, heard := in.waitedForProcessors(), in.idleDuring(held), in.lateNotices()
	cost := in.interruptionsBy(stood)
	counts := float64(cost.Busiest) <= policy.Outlier.Value*float64(rested)
	if still {
		counts, rested = true, rested+cost.Busiest
	}
	switch p := in.processors; {
	case in.submitters.Share(f.Began) < policy.Negligible.Value && !still:
		f.Why = fmt.Sprintf("%d command buffers began late on an idle GPU, for which threads waited %s", f.Late, f.Began)
	case in.processors.Starved() || waited >= rested || waited == 0 && p.Known() && policy.AtLeast(policy.WorthNaming,
		p.Waited, p.Covered):
		f.Why = fmt.Sprintf("an idle GPU began work late, for %s in all, but a thread of the program waited %s for "+
			"processors: what hands work to the GPU may have, too",
			rested, waited)
	case policy.AtLeast(policy.LargeShare, heard, rested):
		f.Why = fmt.Sprintf("an idle GPU began work late, for %s in all, but completions were heard of late, too, for %s: "+
			"what hands work to the GPU and hears of its "+
			"end may lack processors", rested, heard)
	default:
		if counts { // else it may be work that depends on its data
			f.stood, f.Cost = stood, cost
		}
		f.late = in.heldUp(delays, f.held, f.stood)
	}
	return f
}

// Interrupted is how many command buffers were.
func (f *ExternalLoad) Interrupted() int { return len(f.stood) }

// Took is how much later another program let a command buffer begin, and for how long it interrupted it.
func (f *ExternalLoad) Took(b analyze.CommandBufferIndex) (late, stood analyze.Nanos) {
	return f.late[b], f.stood[b].Length()
}

// heldUp is the part of each delay in which it shows that another program had the GPU: it ran nothing, or what it ran
// stood still.
func (in externalInput) heldUp(delays []delay, held,
	stood map[analyze.CommandBufferIndex]analyze.Interval) map[analyze.CommandBufferIndex]analyze.Nanos {
	lists := in.onDevices(held)
	for d, list := range in.onDevices(stood) {
		lists[d] = append(lists[d], list...)
	}
	taken, late := unions(lists), map[analyze.CommandBufferIndex]analyze.Nanos{}
	for _, d := range delays {
		if n := taken[in.work.Of(in.work.trace.Buffer(d.of))].Within(d.Interval); n > 0 {
			late[d.of] = n
		}
	}
	return late
}

// waitedForProcessors is how long a thread that uses the GPU waited for processors, on average in each process, and
// added up over the processes: what keeps one from the GPU keeps it from all that share it. Threads count that make no
// call of Metal's, and those that stand for a GPU where there is none; 0 when it is not known.
func (in externalInput) waitedForProcessors() (sum analyze.Nanos) {
	submit := map[*analyze.Process]int{}
	for _, t := range in.submitters.Taking {
		submit[t.Thread.Process]++
	}
	for _, p := range in.work.trace.Processes {
		if cpu := p.CPUIn(in.work.trace.Window); cpu.Waited != analyze.NotKnown {
			sum += cpu.Waited / analyze.Nanos(max(1, submit[p]))
		}
	}
	return sum
}

// lateNotices is how long completions were on their way of which the program heard more than policy.Launch after the
// GPU's end.
func (in externalInput) lateNotices() analyze.Nanos {
	var list []analyze.Interval
	for b := range in.work.trace.Buffers() {
		if b.GPU.Known() && b.Completed.Known() && b.Completed.Begin-b.GPU.End > policy.Launch.Nanos() {
			list = append(list, analyze.Interval{Begin: b.GPU.End, End: b.Completed.Begin})
		}
	}
	return NewBusy(list).Total()
}

// idleDuring is how long GPUs had nothing to do while one of the command buffers that were held up was ready.
func (in externalInput) idleDuring(held map[analyze.CommandBufferIndex]analyze.Interval) (sum analyze.Nanos) {
	for d, list := range in.onDevices(held) {
		for _, i := range NewBusy(list).Spans() {
			sum += i.Length() - d.any.Within(i)
		}
	}
	return sum
}

// A delay is the time for which a command buffer was held up.
type delay struct {
	analyze.Interval
	of analyze.CommandBufferIndex
}

// startDelays is, for each command buffer that was ready and that the driver had handed to the GPU, the time to its
// beginning.
func (in externalInput) startDelays() (delays []delay) {
	for b, x := range in.releases.All() {
		if handed := max(b.Kernel.End, b.Scheduled); handed > 0 && b.GPU.Known() && x.Event.Length() == 0 {
			delays = append(delays, delay{analyze.Interval{Begin: min(max(handed, x.At), b.GPU.Begin), End: b.GPU.Begin},
				b.Index})
		}
	}
	return delays
}

// interrupted finds the time in which command buffers stood still on the GPU: beyond what those with the same work
// usually take. It says another program had the GPU only where other evidence of that is in the trace, for work may
// depend on its data.
func (in externalInput) interrupted() map[analyze.CommandBufferIndex]analyze.Interval {
	by := map[uint64][]*analyze.CommandBuffer{}
	for b := range in.work.trace.Buffers() {
		if work, known := b.Work(); known && b.GPU.Known() {
			by[work] = append(by[work], b)
		}
	}
	found := map[analyze.CommandBufferIndex]analyze.Interval{}
	for _, same := range by {
		if len(same) < policy.Pattern.Count() {
			continue
		}
		var lengths []analyze.Nanos
		for _, b := range same {
			lengths = append(lengths, b.GPU.Length())
		}
		usual := Median(lengths)
		for _, b := range same {
			if took := b.GPU.Length(); took > Scaled(usual, policy.Outlier.Value) && took-usual > policy.Launch.Nanos() {
				found[b.Index] = analyze.Interval{Begin: b.GPU.Begin + usual, End: b.GPU.End}
			}
		}
	}
	return found
}

// allStood says whether it was the GPU that stood still, and not each for itself: in most of that time it had begun
// another as well, nothing more began or ended, and what it was handed meanwhile had to wait, too.
func (in externalInput) allStood(stood map[analyze.CommandBufferIndex]analyze.Interval, delays []delay) bool {
	waited := 0
	for _, n := range in.heldUp(delays, nil, stood) {
		if n > policy.Launch.Nanos() {
			waited++
		}
	}
	if min(len(stood), waited) < policy.Pattern.Count() {
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
		d, usual := in.work.Of(of), of.GPU.Length()-i.Length() // it goes on for so long after that at most
		begun, ended := until(begins[d], i.Begin), until(ends[d], i.Begin)
		if all += i.Length(); begun-ended > 1 && until(begins[d], i.End-usual) == begun &&
			until(ends[d], i.End-usual) == ended {
			still += i.Length()
		}
	}
	return policy.AtLeast(policy.Most, still, all)
}

// interruptions is what command buffers that were interrupted cost.
type interruptions struct {
	Itself, Behind analyze.Nanos // thread time in waits for them, and for work that was behind them
	Busiest        analyze.Nanos // of the busiest device's busy time
}

func (in externalInput) interruptionsBy(interrupted map[analyze.CommandBufferIndex]analyze.Interval,
) (cost interruptions) {
	by := unions(in.onDevices(interrupted))
	for w := range analyze.Each(in.work.trace.Waits) {
		cost.Itself += overlap(interrupted[w.Buffer], w.Interval)
		cost.Behind += by[in.work.Of(in.work.trace.WaitsFor(w))].Within(in.work.queued(w))
	}
	cost.Busiest = by[in.work.byModel[in.occupancy.Busiest.Device]].Total()
	return cost
}

func (in externalInput) onDevices(intervals map[analyze.CommandBufferIndex]analyze.Interval,
) map[*Device][]analyze.Interval {
	lists := map[*Device][]analyze.Interval{}
	for b, i := range intervals {
		d := in.work.Of(in.work.trace.Buffer(b))
		lists[d] = append(lists[d], i)
	}
	return lists
}
