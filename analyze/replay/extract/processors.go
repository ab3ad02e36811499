package extract

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// addProcessors determines for which share of its own time each thread was on a processor. It also determines how
// much processor time Metal's own threads need per command buffer: the processor time of the process, minus that of
// the program's threads in their own time. Processor time within waits, for sleeping and waking, counts as Metal's.
// If the use of processors is not recorded, Processors.Count stays 0, and no thread waits for a processor in the
// replay.
func (b *builder) addProcessors(spans []span) {
	p := b.program
	var covered, lasted, onOwn, polling analyze.Nanos
	window := working(p.Threads, spans)
	processes := map[*analyze.Process]bool{}
	for i, s := range spans {
		th := &p.Threads[i]
		cpu := s.thread.CPUIn(s.Interval)
		works := works(th)
		if works {
			covered, lasted = covered+cpu.Covered, lasted+s.Length()
		}
		own := th.OwnTime(len(th.Steps))
		th.Quiet, th.Free, th.Remaining = 1, 1, 1
		if cpu.Waited > 0 {
			th.Quiet = max(policy.LeastStepRemainder, 1-evidence.Share(cpu.Waited, own+notified(th))*evidence.Share(s.Length(),
				cpu.Covered))
		}
		if slept := cpu.Slept(); slept != analyze.NotKnown && cpu.Covered > 0 {
			whole := evidence.Share(s.Length(), cpu.Covered) // ratio of the span to the time covered by samples
			th.Free = min(1, evidence.Share(program.Scaled(cpu.Ran, whole)+max(0, program.Scaled(slept,
				whole)-blocked(th)),
				own))
		}
		if helps(th) && !policy.AtLeast(policy.LargeShare, cpu.Ran, cpu.Covered) {
			continue
		}
		th.Busy = min(1, evidence.Share(cpu.Ran, own)*evidence.Share(s.Length(), max(1, cpu.Covered)))
		within := analyze.Interval{Begin: max(s.Begin, window.Begin), End: min(s.End, window.End)}
		onOwn += program.Scaled(own, th.Busy*evidence.Share(within.Length(), s.Length()))
		if b.polls[s.thread] || takesTurns(th) || p.Service.Requests > 0 && !b.servers[s.thread] && len(th.Jobs) == 0 {
			// Processor time beyond the thread's own time. The thread polls for completions or for its turn, or wakes
			// up while it waits for answers.
			polling += max(0, program.Scaled(cpu.Ran, evidence.Share(s.Length(), max(1,
				cpu.Covered)))-program.Scaled(own,
				th.Busy))
		}
		if works && s.thread.Process != nil {
			processes[s.thread.Process] = true
		}
	}
	if !policy.AtLeast(policy.Majority, covered, lasted) {
		return
	}
	p.Processors.Count = b.ev.Processors.Count
	var all, known analyze.Nanos
	for process := range processes {
		cpu := process.CPUIn(window)
		all, known = all+cpu.Ran, known+cpu.Covered
		if whole := evidence.Share(window.Length(), cpu.Covered); cpu.Waited > 0 {
			p.HandOffs.WaitedFor += program.Scaled(cpu.Waited, whole)
		}
	}
	n := analyze.Nanos(len(processes))
	p.Processors.Used = evidence.Share(all, known) * float64(n)
	if policy.AtLeast(policy.Majority, known, window.Length()*n) && known > 0 {
		used := float64(all)/float64(known)*float64(window.Length()*n) - float64(onOwn+polling)
		if b.ev.Trace.Source.SoftwareMetal {
			used -= runOnProcessors(p, used)
		}
		// a command buffer that is queued behind other work takes half of Framework.Time, so it counts as half
		p.Framework.Time = analyze.Nanos(max(0, used) / (float64(len(p.Jobs)) - float64(b.behindOthers)/2))
	}
}

// notified returns the total time that a thread's waits lasted after the completions for which it waited.
func notified(th *program.Thread) (sum analyze.Nanos) {
	for i := range th.Steps {
		sum += max(0, th.Steps[i].Notify) + th.Steps[i].Handlers
	}
	return sum
}

// blocked returns the total time that a thread waits for GPU work, locks and signals; the replay computes how long
// these waits take.
func blocked(th *program.Thread) (sum analyze.Nanos) {
	for i := range th.Steps {
		sum += th.Steps[i].Blocked(&th.Details[i])
	}
	return sum
}

// helps reports whether the thread makes no Metal call and only waits for locks or signals. A caller treats such a
// thread as one of Metal's own threads if it also runs little.
func helps(th *program.Thread) bool {
	return !slices.ContainsFunc(th.Steps, func(s program.Step) bool {
		return s.Kind != program.Lock &&
			!s.Kind.Links()
	})
}

// takesTurns reports whether the thread has waits for its turn that the analysis inferred and the trace did not record.
// The thread may have been running during such a wait.
func takesTurns(th *program.Thread) bool {
	return slices.ContainsFunc(th.Details, func(d program.Detail) bool { return d.Turns })
}

// works reports whether the thread works with command buffers. Other threads, for example one that only compiles at
// the start, do not tell how long the run lasts.
func works(th *program.Thread) bool {
	return slices.ContainsFunc(th.Steps, func(s program.Step) bool {
		return s.Kind != program.Lock && s.Kind != program.Compile && !s.Kind.Links()
	})
}

// working returns the interval from the first to the last call of the threads that work with command buffers.
func working(threads []program.Thread, spans []span) (all analyze.Interval) {
	all.Begin = 1 << 62
	for i, s := range spans {
		if works(&threads[i]) {
			all.Begin, all.End = min(all.Begin, s.Begin), max(all.End, s.End)
		}
	}
	return all
}

// A software GPU runs its kernels on the machine's processors, which it shares with the program's threads and with
// other programs. The processor time of a command buffer is estimated from command buffers with the same work that
// ran alone.

// findAlone sets Job.ProcessorTime as if the GPU's work ran on the machine's processors. It is the GPU time of the
// quickest tenth of the jobs with the same work, which probably ran alone, but at most the job's own GPU time.
func findAlone(jobs []program.Job, buffers []*analyze.CommandBuffer) {
	took, quick := map[uint64][]analyze.Nanos{}, map[uint64]analyze.Nanos{}
	for i, c := range buffers {
		work, _ := c.Work()
		took[work] = append(took[work], jobs[i].Duration)
	}
	for work, all := range took {
		quick[work] = evidence.Quickest(all, policy.FastestDivisor)
	}
	for i, c := range buffers {
		work, _ := c.Work()
		jobs[i].ProcessorTime = min(jobs[i].Duration, quick[work])
	}
}

// runOnProcessors decides whether the machine's processors run the GPU's work, and returns the processor time of that
// work in ns, or 0. `used` is the processor time of the process beyond that of its threads. Processors run the GPU's
// work if `used` is at least the processor time of all jobs, and if a job takes at least policy.LongestHandOff on
// average. Shorter jobs cannot be distinguished from the processor time of submissions and notifications.
func runOnProcessors(p *program.Program, used float64) (work float64) {
	for i := range p.Jobs {
		work += float64(p.Jobs[i].ProcessorTime)
	}
	p.Processors.RunGPU = used >= work && policy.AtLeast(policy.LongestHandOff, work, float64(len(p.Jobs)))
	if !p.Processors.RunGPU {
		return 0
	}
	for i := range p.Jobs {
		p.Jobs[i].ConcurrencyLoss = 0 // the machine itself computes how much concurrent jobs slow each other down
	}
	return work
}
