// Package extract builds a program from a trace and its evidence: the steps of each thread, without the time that it
// waited for something that the program itself has.
package extract

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// Program builds the program of a trace, or returns the reason why that is not possible. In a tied program, threads
// also wait for each other's signals and for locks that others release; in other programs, these waits take their
// recorded time. `taken` is the GPU time that an external process took.
func Program(ev *evidence.Evidence, taken evidence.ExternalGPUUse, tied bool) (p *program.Program, why string) {
	b := &builder{ev: ev, taken: taken, tied: tied, window: jobsWindow(ev), jobOf: make([]int32, ev.Trace.IndexCount()),
		polls: map[*analyze.Thread]bool{}}
	b.program = &program.Program{Tied: tied, LaunchShare: policy.PerLaunchShare}
	b.program.Processors = program.Processors{Scattered: policy.ScatteredBurstShare,
		Interrupting: policy.WakeInterruptShare}
	b.listened = awaitedByListeners(ev)
	if tied {
		b.held = waitsForHeldInterpreter(ev)
	}
	b.addJobs()
	p = b.program
	if len(p.Jobs) < policy.FewestOccurrences.Count() {
		return nil, "the trace has too few command buffers with GPU times"
	}
	limitAlike(p.Queues, len(p.Devices))
	findAlone(p.Jobs, b.buffers)
	b.addThreads()
	b.addDependencies()
	p.MeasureHandOffs()
	if p.Rate(p.Recorded) == 0 {
		return nil, "no thread commits for at least half of the run"
	}
	return p, ""
}

// A builder collects what is needed to build one program.
type builder struct {
	ev      *evidence.Evidence
	taken   evidence.ExternalGPUUse // by an external process
	tied    bool
	window  analyze.Interval // the part of the trace that the program covers
	program *program.Program
	buffers []*analyze.CommandBuffer // by job
	jobOf   []int32                  // by CommandBufferIndex, the job plus one; 0 is none

	servers  map[*analyze.Thread]bool                       // submit for other threads; nil if each submits for itself
	polls    map[*analyze.Thread]bool                       // wait for command buffers without a recorded call
	held     map[*analyze.LockWait]*analyze.Wait            // see waitsForHeldInterpreter
	listened map[*analyze.SignalWait]*analyze.CommandBuffer // see awaitedByListeners
	// when each thread allocated memory
	allocating map[*analyze.Thread]*evidence.Busy
	// number of command buffers that were queued behind other work, so that the GPU began them without the help of a
	// thread
	behindOthers int
	events       map[eventValue]int32 // the number of each setting of a shared event by a thread
}

// An eventValue identifies one setting of a shared event: by which thread, and when.
type eventValue struct {
	by *analyze.Thread
	at analyze.Nanos
}

// job returns the number (job) that the program gives to a command buffer; `known` is false if the program does not
// contain the command buffer.
func (b *builder) job(i analyze.CommandBufferIndex) (job int32, known bool) {
	return b.jobOf[i] - 1, b.jobOf[i] > 0
}

// jobsWindow returns the time range that the program covers: the whole run or, if the run is longer than a replay may
// be, a range in its middle.
func jobsWindow(ev *evidence.Evidence) analyze.Interval {
	var commits []analyze.Nanos
	for b := range ev.Releases.All() {
		commits = append(commits, b.Committed.Begin)
	}
	slices.Sort(commits)
	most := mostJobs(len(commits), recordedSteps(ev))
	if len(commits) <= most {
		return analyze.Interval{Begin: -1 << 62, End: 1 << 62}
	}
	from := (len(commits) - most) / 2
	return analyze.Interval{Begin: commits[from], End: commits[from+most-1]}
}

// recordedSteps estimates how many steps the program of the whole run would have: two for each command buffer (its
// creation and its commit), and one for each wait and each signal.
func recordedSteps(ev *evidence.Evidence) int {
	return 2*len(ev.Trace.CommandBuffers) + len(ev.Trace.Waits) + len(ev.Trace.Signals) + len(ev.ThreadWaits.Locks)
}

// mostJobs returns how many command buffers a program may contain. A prediction replays the program dozens of times,
// and the time of a replay is proportional to the program's steps. So a program with many steps for each command
// buffer (many waits for locks) contains fewer command buffers, but never
// fewer than policy.LeastJobs, which confidence intervals need.
func mostJobs(jobs, steps int) int {
	return min(policy.MostJobs, max(policy.LeastJobs, jobs*policy.MostReplayedSteps/max(1, steps)))
}

// addJobs adds the command buffers to the program, with their queues and devices.
func (b *builder) addJobs() {
	ev, p := b.ev, b.program
	var queues evidence.Ordered[*analyze.Queue, struct{}]
	var devices evidence.Ordered[*evidence.Device, struct{}]
	latency := evidence.UsualLatency(ev.Work, ev.Releases)
	completion, seen := evidence.UsualCompletion(ev.Trace)
	if !seen { // not recorded: assume that a notification takes at least as long as a submission
		completion = max(completion, latency)
	}
	overlaps := evidence.Overlaps(ev.Work, ev.Releases, &ev.GPU, latency)
	for c := range ev.Trace.Buffers() {
		release := ev.Releases.ReleaseOf(c.Index)
		if release == nil || !c.GPU.Known() || c.Queue == nil || c.Committed.Begin < b.window.Begin ||
			c.Committed.End > b.window.End {
			continue
		}
		if ran := c.GPU.Intersect(ev.Trace.TimeRange); ran.End < ran.Begin {
			continue // the command buffer is outside of the requested range
		}
		d := ev.Work.Of(c)
		device := devices.Number(d)
		if device == len(p.Devices) {
			p.Devices = append(p.Devices, deviceOf(ev, d, latency))
		}
		o, q := overlaps[c.Queue], queues.Number(c.Queue)
		if q == len(p.Queues) {
			p.Queues = append(p.Queues, program.Queue{Capacity: cmp.Or(c.Queue.Capacity, evidence.DefaultCapacity),
				Device: device, AtOnce: max(1, o.Most), Limited: o.Limited})
		}
		held, stood := b.taken.Of(c.Index)
		j := program.Job{Queue: int32(q), Duration: c.GPU.Length(), ConcurrencyLoss: 1 - ev.GPU.Use(d).Crowding.Alone(c.GPU),
			Enqueued: c.Enqueued.Known(), Stood: stood, Burst: ev.Launch.Bursts.Size(c.Index)}
		handed := max(0, c.GPU.Begin-release.At)
		if p.Devices[device].Limited || o.Limited { // the delay may be a wait for other work on the device
			handed = min(handed, latency+held)
		} else if o.Most == 1 {
			// The command buffer was queued behind other work of its queue, so its own delay is only the time after
			// that work.
			if free := o.Busy.FreeBefore(analyze.Interval{Begin: release.At, End: c.GPU.Begin}); free < handed {
				handed = min(free, latency+held)
			}
		}
		j.ExternalDelay = min(held, handed)
		j.Latency = handed - j.ExternalDelay
		if c.Completed.Known() {
			j.Complete = max(0, c.Completed.Begin-c.GPU.End)
			if c.Handlers > 0 {
				j.Handlers = max(0, j.Complete-completion)
			}
		}
		p.Jobs = append(p.Jobs, j)
		b.buffers = append(b.buffers, c)
		b.jobOf[c.Index] = int32(len(b.buffers))
	}
	p.HandOffs.Turnarounds = slices.Sorted(slices.Values(evidence.TurnaroundsBehind(ev.Work, ev.Releases, &ev.GPU,
		latency)))
	b.behindOthers = len(p.HandOffs.Turnarounds)
}

// deviceOf returns a device that runs as many command buffers at once as recorded. That number is a limit of the device
// (Limited) if ready work often or long waited for the device, or if the device is saturated. Otherwise the device
// could probably run more.
func deviceOf(ev *evidence.Evidence, d *evidence.Device, latency analyze.Nanos) program.Device {
	u := ev.GPU.Use(d)
	behind, waits := evidence.WaitsForRoom(ev.Releases, &ev.GPU, d, latency)
	much := evidence.Share(u.Backlog, u.Active.Length()) >= policy.ChanceShare.Value ||
		behind >= policy.FewestCapacityWaits.Count()
	limited := ev.Occupancy.Saturated && ev.Occupancy.Pending >= policy.ChanceShare.Value || waits && much
	return program.Device{Engines: max(1, u.Capacity), Limited: limited, Crowding: u.Crowding.Slope}
}

// limitAlike applies the known limit of one queue to the other queues of its device. The driver sets the same limit
// for all queues, but the trace shows it only for a queue that was full while the GPU had spare capacity.
func limitAlike(queues []program.Queue, devices int) {
	for d := range devices {
		least, most := 0, 0
		for i := range queues {
			if q := &queues[i]; q.Device == d {
				if most = max(most, q.AtOnce); q.Limited && (least == 0 || q.AtOnce < least) {
					least = q.AtOnce
				}
			}
		}
		for i := range queues {
			if q := &queues[i]; q.Device == d && least > 0 && most <= least {
				q.AtOnce, q.Limited = least, true
			}
		}
	}
}

// addDependencies tells each command buffer which command buffer or thread signals the event that it waits for on the
// GPU.
func (b *builder) addDependencies() {
	for i, c := range b.buffers {
		j := &b.program.Jobs[i]
		release := b.ev.Releases.ReleaseOf(c.Index)
		if after, known := b.job(release.Signaler); known {
			j.After = append(j.After, after)
		}
		if e, known := b.events[eventValue{release.ByThread, release.Given}]; known && release.ByThread != nil {
			j.Events = append(j.Events, e)
		}
	}
}
