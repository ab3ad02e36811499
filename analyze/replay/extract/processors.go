package extract

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// addProcessors finds how much of its own time each thread was on a processor, and how much the framework's threads
// were for each command buffer: what the process used and the program's threads did not use in their own time. What
// these used in waits, to sleep and wake, counts as the framework's. If either is not known, nothing shares
// processors in the program.
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
			th.Quiet = max(policy.LeastQuiet, 1-evidence.Share(cpu.Waited, own+notified(th))*evidence.Share(s.Length(),
				cpu.Covered))
		}
		if slept := cpu.Slept(); slept != analyze.NotKnown && cpu.Covered > 0 {
			whole := evidence.Share(s.Length(), cpu.Covered) // so much longer than what is known of it
			th.Free = min(1, evidence.Share(program.Scaled(cpu.Ran, whole)+max(0, program.Scaled(slept, whole)-blocked(th)),
				own))
		}
		if helps(th) && !policy.AtLeast(policy.LargeShare, cpu.Ran, cpu.Covered) {
			continue
		}
		th.Busy = min(1, evidence.Share(cpu.Ran, own)*evidence.Share(s.Length(), max(1, cpu.Covered)))
		within := analyze.Interval{Begin: max(s.Begin, window.Begin), End: min(s.End, window.End)}
		onOwn += program.Scaled(own, th.Busy*evidence.Share(within.Length(), s.Length()))
		if b.polls[s.thread] || takesTurns(th) || p.Service.Requests > 0 && s.thread != b.server && len(th.Jobs) == 0 {
			// It used more to ask again and again whether its work is done, or whether it is its turn, or to be
			// woken for others' answers.
			polling += max(0, program.Scaled(cpu.Ran, evidence.Share(s.Length(), max(1, cpu.Covered)))-program.Scaled(own,
				th.Busy))
		}
		if works && s.thread.Process != nil {
			processes[s.thread.Process] = true
		}
	}
	if !policy.AtLeast(policy.Most, covered, lasted) {
		return
	}
	p.Processors.Count = b.ev.Processors.Count
	var all, known analyze.Nanos
	for process := range processes {
		cpu := process.CPUIn(window)
		all, known = all+cpu.Ran, known+cpu.Covered
		if whole := evidence.Share(window.Length(), cpu.Covered); cpu.Waited > 0 {
			p.HandOvers.WaitedFor += program.Scaled(cpu.Waited, whole)
		}
	}
	n := analyze.Nanos(len(processes))
	p.Processors.Used = evidence.Share(all, known) * float64(n)
	if policy.AtLeast(policy.Most, known, window.Length()*n) && known > 0 {
		used := float64(all)/float64(known)*float64(window.Length()*n) - float64(onOwn+polling)
		if b.ev.Trace.Source.SoftwareMetal {
			used -= runOnProcessors(p, used)
		}
		// what stood behind other work took half of it
		p.Framework.Time = analyze.Nanos(max(0, used) / (float64(len(p.Jobs)) - float64(b.behindOthers)/2))
	}
}

// notified is the time of a thread's waits after the completions.
func notified(th *program.Thread) (sum analyze.Nanos) {
	for i := range th.Steps {
		sum += max(0, th.Steps[i].Notify) + th.Steps[i].Handlers
	}
	return sum
}

// blocked is the time in which a thread waits for what the program shows.
func blocked(th *program.Thread) (sum analyze.Nanos) {
	for i := range th.Steps {
		sum += th.Steps[i].Blocked(&th.Details[i])
	}
	return sum
}

// helps says whether the thread makes no call of Metal's and only waits for locks. If it also runs little it counts
// as the framework's, as most such threads are.
func helps(th *program.Thread) bool {
	return !slices.ContainsFunc(th.Steps, func(s program.Step) bool { return s.Kind != program.Lock && !s.Kind.Links() })
}

// takesTurns says whether the thread waits for turns, in which it may have run.
func takesTurns(th *program.Thread) bool {
	return slices.ContainsFunc(th.Details, func(d program.Detail) bool { return d.Turns })
}

// works says whether the thread has to do with command buffers. Other threads, such as those that compile before
// there are any, may be no part of the run.
func works(th *program.Thread) bool {
	return slices.ContainsFunc(th.Steps, func(s program.Step) bool {
		return s.Kind != program.Lock && s.Kind != program.Compile && !s.Kind.Links()
	})
}

// working is the time in which such threads work.
func working(threads []program.Thread, spans []span) (all analyze.Interval) {
	all.Begin = 1 << 62
	for i, s := range spans {
		if works(&threads[i]) {
			all.Begin, all.End = min(all.Begin, s.Begin), max(all.End, s.End)
		}
	}
	return all
}

// A software GPU runs its kernels on processors, which it shares with the program's threads and with other
// programs. What a command buffer takes of a processor is what those with the same work take that meet nobody.

// findAlone finds what each job takes then: no longer than the quickest tenth with the same work.
func findAlone(jobs []program.Job, buffers []*analyze.CommandBuffer) {
	took, quick := map[uint64][]analyze.Nanos{}, map[uint64]analyze.Nanos{}
	for i, c := range buffers {
		work, _ := c.Work()
		took[work] = append(took[work], jobs[i].Duration)
	}
	for work, all := range took {
		quick[work] = evidence.Quickest(all, policy.Quick)
	}
	for i, c := range buffers {
		work, _ := c.Work()
		jobs[i].Alone = min(jobs[i].Duration, quick[work])
	}
}

// runOnProcessors finds whether processors run the GPU's work, and returns how much: the process used at least as
// much of them, beyond its threads, as the jobs take, and that is more than submitting them and notifying of their
// ends takes.
func runOnProcessors(p *program.Program, used float64) (work float64) {
	for i := range p.Jobs {
		work += float64(p.Jobs[i].Alone)
	}
	p.Processors.RunGPU = used >= work && policy.AtLeast(policy.Launch, work, float64(len(p.Jobs)))
	if !p.Processors.RunGPU {
		return 0
	}
	for i := range p.Jobs {
		p.Jobs[i].Beside = 0 // the machine adds what others alongside it take
	}
	return work
}
