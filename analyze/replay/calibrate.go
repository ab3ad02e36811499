package replay

import (
	"math"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/machine"
	"mtrace/analyze/replay/program"
)

// calibrate returns the variant (reading) of a recorded program whose replay comes closest to the recorded run, and the
// rate of that replay. The rate is 0 if every variant deadlocks. Variants differ where the trace is ambiguous: the
// order in which threads get a lock, the rules by which threads choose what to wait for (see awaiting), and how well
// the system distributes processors.
func calibrate(p *program.Program) (best *program.Program, base float64) {
	enough := policy.RunToRunVariation.Value
	// In a tied program, waits for locks should depend on the lock's holder. With a larger limit, a variant with such
	// waits more often suffices, so variants with fixed waits, which are tried later, are needed less often.
	if p.Tied {
		enough = policy.ReplayErrorLimit.Value
	}
	return calibrateTo(p, enough)
}

// calibrateTo returns the first variant whose rate differs from the recorded rate by at most `enough`, otherwise the
// variant that differs least. It first tries variants in which a thread waits for a lock until its holder releases it,
// and then variants in which such waits take their recorded time.
func calibrateTo(p *program.Program, enough float64) (best *program.Program, base float64) {
	var memory machine.Memory
	least := math.Inf(1)
	scatters, fixes, rules := []float64{p.Processors.Scattered}, []bool{false}, []awaiting{{p.Newest, true}}
	for _, other := range []float64{0, 1} {
		if other != p.Processors.Scattered {
			scatters = append(scatters, other)
		}
	}
	if hasLocks(p) {
		fixes = append(fixes, true)
	}
	if none := (program.Newest{}); none != p.Newest {
		rules = append(rules, awaiting{none, true})
	}
	if slices.ContainsFunc(p.Jobs, func(j program.Job) bool { return j.Clock > 0 }) {
		rules = append(rules, awaiting{p.Newest, false})
	}
	for _, scattered := range scatters {
		for _, fixed := range fixes {
			for _, rule := range rules {
				q := p.Clone()
				q.Processors.Scattered, q.Newest = scattered, rule.newest
				if !rule.clocks {
					for i := range q.Jobs {
						q.Jobs[i].Clock = 0
					}
				}
				if fixed {
					fixLocks(q)
				}
				removeDelays(&memory, q, p)
				r, ends := machine.RunIn(&memory, q)
				if !ends {
					continue
				}
				rate := q.Rate(r.Progress)
				if rate == 0 {
					continue
				}
				findUnexplained(q, r)
				if off := math.Abs(q.Rate(q.Recorded)/rate - 1); off < least {
					best, base, least = q, rate, off
				}
				if least <= enough {
					return best, base
				}
			}
		}
		if p.Processors.Count == 0 || least <= policy.ReplayErrorLimit.Value {
			break
		}
	}
	return best, base
}

// awaiting has two assumptions about waits, which calibration varies to find those that reproduce the recorded run.
type awaiting struct {
	// how threads choose which command buffer of other threads they wait for; the zero value means the recorded one
	newest program.Newest
	// Command buffers that wait for a clock (a thread that sets an event at regular times) wait for the clock's next
	// setting. If false, they wait for the recorded setting.
	clocks bool
}

// hasLocks reports whether fixLocks would change the program. If not, a variant with fixed waits would only repeat
// another run.
func hasLocks(p *program.Program) bool {
	for _, s := range p.Steps() {
		if s.Kind == program.Lock && s.Lock != 0 || s.Kind == program.Commit && s.Contends {
			return true
		}
	}
	return false
}

// fixLocks makes all waits for locks take their recorded time, whether or not another thread holds the lock in the
// replay.
func fixLocks(p *program.Program) {
	for _, s := range p.Steps() {
		switch s.Kind {
		case program.Lock:
			s.Lock = 0
		case program.Commit:
			s.Contends = false
		}
	}
}

// removeDelays subtracts the waits for processors from the recorded times: the machine (the simulator that replays a
// program) adds such waits itself, so they would count twice. It measures in a replay of the unchanged program how much
// waiting the machine adds. With shorter times the machine adds slightly less, so removeDelays repeats the measurement.
// `recorded` has the recorded times, and p is a copy of it.
func removeDelays(memory *machine.Memory, p, recorded *program.Program) {
	if p.Processors.Count == 0 {
		return
	}
	for range 3 {
		r, ends := machine.RunIn(memory, p)
		if !ends {
			return
		}
		before, after := r.Delays.Before.Mean(), r.Delays.After.Mean()
		for t := range p.Threads {
			own := recorded.Threads[t].OwnTime(r.Steps(t))
			undelayThread(&p.Threads[t], &recorded.Threads[t], program.Share(r.Delays.Threads[t], own), after)
		}
		for i := range p.Jobs {
			j, was := &p.Jobs[i], &recorded.Jobs[i]
			latency := was.Latency + was.ExternalDelay
			latency = max(min(latency, p.Framework.Time/2), latency-before)
			j.ExternalDelay = min(was.ExternalDelay, latency)
			j.Latency = latency - j.ExternalDelay
			j.Complete = max(0, was.Complete-after)
			if p.Processors.RunGPU {
				j.Duration = max(j.ProcessorTime, was.Duration-r.Delayed(i))
			}
		}
		h := &p.HandOffs
		h.UsualNotify = max(0, recorded.HandOffs.UsualNotify-after)
		h.UsualLatency = max(0, recorded.HandOffs.UsualLatency-before)
		if p.Newest.Known {
			p.Newest.Notify = h.UsualNotify
		}
		p.ShareFramework()
	}
}

// undelayThread shortens t's times to those without waiting for processors. `was` has the recorded times. `delayed`
// is the share of the thread's own time that was waiting, and notify the waiting at the end of each wait.
func undelayThread(t, was *program.Thread, delayed float64, notify analyze.Nanos) {
	left := max(was.Busy, 1-delayed)
	if left <= 0 {
		left = 1
	}
	for i := range t.Steps {
		s, d := &t.Steps[i], &t.Details[i]
		ws, wd := &was.Steps[i], &was.Details[i]
		s.Gap = s.Asleep + program.Scaled(ws.Gap-s.Asleep, left)
		d.Unlocked = s.Asleep + program.Scaled(max(0, wd.Unlocked-s.Asleep), left)
		d.Encode, d.Turn = program.Scaled(wd.Encode, left), program.Scaled(wd.Turn, left)
		switch s.Kind {
		case program.Acquire, program.Enqueue, program.Commit:
			s.Cost, d.Solo = program.Scaled(ws.Cost, left), program.Scaled(wd.Solo, left)
		}
		if total := ws.Notify + ws.Handlers; total > 0 {
			total = max(1, total-notify)
			s.Handlers = min(ws.Handlers, total)
			s.Notify = total - s.Handlers
		}
	}
	t.Busy, t.Remaining = min(1, was.Busy/left), left
}

// findUnexplained sets p.HandOffs.Unexplained: the recorded waiting for processors that the machine (the simulator
// that replays a program) does not reproduce. In the machine a short burst of CPU work waits little, because it shares
// a processor; a real system lets long bursts use up their time slices. The missing waiting is attributed to hand-offs
// and commits, as a share of the time by which they take longer than with a free processor. `r` is a run of the
// unchanged program.
func findUnexplained(p *program.Program, r *machine.Result) {
	h := &p.HandOffs
	var beyond analyze.Nanos
	for i := range p.Jobs {
		beyond += max(0, p.Jobs[i].Latency+p.Jobs[i].ExternalDelay-h.FreeLatency)
	}
	for t := range p.Threads {
		th := &p.Threads[t]
		for i := range th.Steps {
			switch s := &th.Steps[i]; {
			case (s.Kind == program.Wait || s.Kind == program.WaitOther) && s.Notify+s.Handlers > 0:
				beyond += max(0, s.Notify-h.FreeNotify)
			case s.Kind == program.Commit:
				beyond += max(0, th.Details[i].Solo-h.FreeCommit)
			}
		}
	}
	added, each := delays(r)
	h.Delay, h.Unexplained = each, min(1, program.Share(max(0, h.WaitedFor-added), beyond))
}

// delays returns how long all bursts of CPU work in a run waited for processors: in total, and per completed command
// buffer.
func delays(r *machine.Result) (sum analyze.Nanos, each float64) {
	sum = r.Delays.Before.Sum + r.Delays.After.Sum + r.Delays.GPU
	for _, d := range r.Delays.Threads {
		sum += d
	}
	return sum, float64(sum) / float64(max(1, r.Done()))
}

// relief returns the share (0 to 1) by which threads wait less for processors in a run of the changed program than
// in the unchanged program. It returns 0 if the change gives each thread a processor: such a change removes these waits
// itself.
func relief(p *program.Program, c Change, ran played) float64 {
	if c.Cores || p.HandOffs.Unexplained == 0 || p.HandOffs.Delay == 0 {
		return 0
	}
	return max(0, 1-ran.delay/p.HandOffs.Delay)
}
