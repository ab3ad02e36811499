package serial

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// facts are what several rules ask for.
type facts struct {
	total        analyze.Nanos // thread time of all threads that took part
	threads      []*ThreadTime // the threads that took part
	committers   int
	busiest      DeviceUse     // the device that threads wait for most, which is the one with the most work when they wait for none
	busy         float64       // its busy share between its first commit and its last completion
	backlog      float64       // share of that time in which it was busy while committed work had not begun
	inLine       analyze.Nanos // thread time behind others' work in queues that run less than the GPU has room for
	hasRoom      bool          // the more was ready for it the more it ran, so what had not begun did not wait for room
	saturated    bool
	withoutSync  *Speedup                  // that is next to nothing, for the GPU is what threads would wait for instead; else nil
	perBuffer    analyze.Nanos             // mean GPU time of a command buffer
	buffers      int                       // that ran
	lockInCommit analyze.Nanos             // thread time lost to a lock that is not seen itself
	cpu          analyze.Nanos             // processor time of the processes; 0 when not known
	wall         analyze.Nanos             // the trace's window, once for each process
	processors   processors                // how the threads used them
	inFlight     map[*analyze.Thread]*Busy // when each had work in flight
	unfed        float64                   // share of the time outside of Metal in which threads had nothing in flight
	submits      map[*analyze.Thread]bool  // those that commit a fair share of the work
	occupied     float64                   // share of their time in which those have work in flight
	steady       int                       // committers of more than a hundredth of the work
	foreign      Finding                   // what another program takes of the GPU
	interrupted  interruptions             // of the program's work, by the other program
	beganLate    analyze.Nanos             // thread time in waits for work that an idle GPU began late, whatever the reason
	turnsLost    analyze.Nanos             // thread time lost to a lock that shows in threads taking turns
	oneAtATime   bool                      // a process is an interpreter that runs one thread at a time
	everybody    map[*analyze.Thread]bool  // those that wait for everybody's work
	hanging      map[*analyze.Thread]*hanging
	meetings     *meetings                              // nil when threads do not meet
	starving     map[*analyze.Thread][]analyze.Interval // waits for signals with nothing for the GPU to do
	found        map[string]analyze.Nanos               // what the rules before have found lost
}

func (a *Analysis) facts() *facts {
	f := &facts{found: map[string]analyze.Nanos{}, starving: map[*analyze.Thread][]analyze.Interval{}}
	for _, t := range a.Threads {
		if t.Submits() {
			f.threads = append(f.threads, t)
			f.total += t.Working
		}
		if t.CommandBuffers > 0 {
			f.committers++
		}
		if policy.MoreThan(policy.Negligible, t.CommandBuffers, len(a.Trace.CommandBuffers)) {
			f.steady++
		}
	}
	f.inFlight = a.workInFlight()
	f.shares(len(a.Trace.CommandBuffers))
	f.unfed = a.unfed(f)
	f.meetings = a.findMeetings(f.submits)
	a.useOfProcessors(f)
	processes := map[*analyze.Process]bool{}
	for _, t := range f.threads {
		if p := t.Thread.Process; p != nil && !processes[p] {
			processes[p] = true
			f.cpu += p.CPU
			f.wall += a.Trace.Window.Length()
			f.oneAtATime = f.oneAtATime || isInterpreter(p)
		}
	}
	f.busiest = a.busiestDevice()
	f.busy = share(f.busiest.Busy, f.busiest.Active.Length())
	f.backlog = share(f.busiest.Backlog, f.busiest.Active.Length())
	f.inLine = a.timeInLine()
	// A GPU that is busy all the time has room nevertheless when it begins all work at once: then nothing is ever pending.
	// What others hand to the only thread that commits waits for that thread, whether the GPU has room for it or not.
	f.hasRoom = f.busiest.Growth >= policy.Growth.Value
	f.saturated = f.busy >= policy.Saturated.Value && (f.backlog >= policy.Most.Value && !f.hasRoom || f.steady == 1 && a.GPU.Overlap < 1+policy.Little.Value && !a.handover.holds())
	for _, d := range a.deviceOrder {
		f.buffers += len(d.running)
	}
	if f.buffers > 0 {
		f.perBuffer = a.GPU.Sum / analyze.Nanos(f.buffers)
	}
	f.foreign = findForeign(a, f)
	f.everybody = a.waitForEverybody(f.committers)
	f.hanging = a.hangingOn(f.everybody)
	return f
}

// busiestDevice is the device that the threads' waits are for, by their time; of equals the one with the most work.
func (a *Analysis) busiestDevice() (most DeviceUse) {
	if len(a.GPU.Devices) == 1 {
		return a.GPU.Devices[0]
	}
	waited := map[*analyze.Device]analyze.Nanos{}
	for i := range a.Trace.Waits {
		if w := &a.Trace.Waits[i]; w.Buffer != nil {
			waited[a.deviceOf(w.Buffer).model] += w.Length()
		}
	}
	for _, d := range a.GPU.Devices {
		if c := compare(waited[d.Device], waited[most.Device]); most.Busy == 0 || c > 0 || c == 0 && d.Busy > most.Busy {
			most = d
		}
	}
	return most
}

// hangs says whether a wait for a lock hangs on waits for others' work.
func (f *facts) hangs(l *analyze.LockWait) bool {
	h := f.hanging[l.Thread]
	return h != nil && h.when.Within(l.Interval) == l.Length()
}

func (f *facts) share(n analyze.Nanos) float64 { return share(n, f.total) }
