package evidence

import (
	"math"
	"path"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/analyze/statistics"
)

// Processors has the processor use of the threads that take part in the GPU's work, within their working time.
type Processors struct {
	Covered  analyze.Nanos   // thread time that samples cover
	Ran      analyze.Nanos   // on a processor
	Waited   analyze.Nanos   // runnable without a processor; analyze.NotKnown where the system does not tell
	Computed analyze.Nanos   // the part of Ran outside of Metal calls
	Wake     analyze.Nanos   // median time from a completion being seen to the return of the wait for it
	LateWake analyze.Nanos   // the 90th percentile of these times
	Wakes    int             // number of these times
	Count    int             // available to the program: all of the machine, or fewer if the program is confined to some
	Others   analyze.CPUTime // processor use of other programs in the same time
	confined bool            // an affinity or a quota allows the program fewer processors than the machine has

	Used       analyze.Nanos // processor time of the processes; 0 when not known
	Wall       analyze.Nanos // the length of the trace's time range, counted once for each process
	OneAtATime bool          // a process is an interpreter that runs one thread at a time
	total      analyze.Nanos // working time of the threads
}

// confinedTo reports whether the programs are confined to a whole number of processors, smaller than the machine's,
// for example by an affinity mask or a quota. `used` is the number of processors used in each sample; `waited` is the
// average number of processors that they waited for. A program that uses a whole number by chance waits less than it
// runs, or its use varies.
func confinedTo(used []float64, waited float64, machine int) (whole int, confined bool) {
	usual := statistics.Median(used)
	n := math.Round(usual)
	if !(n >= 1) || int(n) >= machine || math.Abs(usual/n-1) > policy.ChanceShare.Value || waited < usual {
		return 0, false
	}
	off := make([]float64, len(used))
	for i, u := range used {
		off[i] = math.Abs(u/usual - 1)
	}
	return int(n), statistics.Median(off) <= policy.NegligibleShare.Value
}

// Known reports whether samples cover most of the threads' time and include the time that they waited for processors.
func (p *Processors) Known() bool {
	return p.Waited != analyze.NotKnown && p.Covered > 0 && policy.AtLeast(policy.Majority, p.Covered, p.total)
}

// Starved reports whether the threads lack processors: they waited for a processor for a large share of their time. A
// smaller share is enough if the program fills the processors to which it is confined. If the trace does not have
// this time, late wake-ups decide.
func (p *Processors) Starved() bool {
	if p.Known() {
		waited := Share(p.Waited, p.Covered)
		return waited >= policy.LargeShare.Value || waited >= policy.ChanceShare.Value && p.confined
	}
	return p.Wakes >= policy.FewestSamples.Count() && p.Wake >= policy.LongestHandOff.Nanos()
}

// UseOfProcessors computes how the threads that take part in the GPU's work used the processors.
func UseOfProcessors(trace *analyze.Trace, submitters *Submitters) Processors {
	p := Processors{total: submitters.Time}
	var metal analyze.Nanos
	for _, t := range submitters.Taking {
		cpu := t.Thread.CPUIn(atWork(t.Thread))
		p.Covered += cpu.Covered
		p.Ran += cpu.Ran
		if cpu.Waited == analyze.NotKnown || p.Waited == analyze.NotKnown {
			p.Waited = analyze.NotKnown
		} else {
			p.Waited += cpu.Waited
		}
		for _, part := range []analyze.Part{analyze.PartEncode, analyze.PartCommit, analyze.PartAcquire, analyze.PartCompile,
			analyze.PartAllocate, analyze.PartOtherAPI} {
			metal += t.WorkTime[part]
		}
	}
	// Samples do not tell what a thread executed. Assume that it ran for the same share of its runnable time in Metal
	// calls as elsewhere.
	if wanted := p.Ran + max(0, p.Waited); wanted > metal {
		p.Computed = analyze.Nanos(float64(p.Ran) * (1 - Share(metal, wanted)))
	}
	used, waited, window := processorsUsed(submitters.Taking)
	p.Count, p.Others = trace.Source.Processors, trace.OthersIn(window)
	left := p.Count - int(math.Round(Share(p.Others.Ran, p.Others.Covered))) // processors left by other programs
	if whole, confined := confinedTo(used, waited, left); confined {
		p.Count, p.confined = whole, true
	}
	p.addWakes(trace)
	p.addProcesses(trace, submitters.Taking)
	return p
}

// addProcesses adds up the processor time of the threads' processes, counting each process once.
func (p *Processors) addProcesses(trace *analyze.Trace, taking []*ThreadTime) {
	seen := map[*analyze.Process]bool{}
	for _, t := range taking {
		if of := t.Thread.Process; of != nil && !seen[of] {
			seen[of] = true
			p.Used += of.CPU
			p.Wall += trace.TimeRange.Length()
			p.OneAtATime = p.OneAtATime || isInterpreter(of)
		}
	}
}

// processorsUsed looks at the processes of the threads while these threads worked (window). It returns the number of
// processors used in each sample, and the average number of processors that runnable threads waited for.
func processorsUsed(taking []*ThreadTime) (used []float64, waited float64, window analyze.Interval) {
	window.Begin = 1 << 62
	var processes []*analyze.Process
	for _, t := range taking {
		if w := atWork(t.Thread); t.Thread.Process != nil {
			if !slices.Contains(processes, t.Thread.Process) {
				processes = append(processes, t.Thread.Process)
			}
			window.Begin, window.End = min(window.Begin, w.Begin), max(window.End, w.End)
		}
	}
	if len(processes) == 0 {
		return nil, 0, window
	}
	for _, p := range processes {
		cpu := p.CPUIn(window)
		waited += Share(max(0, cpu.Waited), cpu.Covered)
	}
	samples := processes[0].CPUSamples
	for i := 1; i < len(samples); i++ {
		between := analyze.Interval{Begin: samples[i-1].At, End: samples[i].At}
		if between.Begin < window.Begin || between.End > window.End {
			continue
		}
		sum := 0.0
		for _, p := range processes {
			cpu := p.CPUIn(between)
			sum += Share(cpu.Ran, cpu.Covered)
		}
		used = append(used, sum)
	}
	return used, waited, window
}

// addWakes computes how long waiting threads took to continue, from the end of the tracer's completion handler to the
// return of the wait.
func (p *Processors) addWakes(trace *analyze.Trace) {
	var all []analyze.Nanos
	for w := range analyze.Each(trace.Waits) {
		if b := trace.WaitsFor(w); b != nil && b.Completed.Known() && w.Begin < b.Completed.Begin &&
			w.End >= b.Completed.End {
			all = append(all, w.End-b.Completed.End)
		}
	}
	p.Wakes, p.Wake = len(all), Median(all)
	if p.Wakes > 0 {
		slices.Sort(all)
		p.LateWake = all[p.Wakes-1-p.Wakes/policy.FastestDivisor]
	}
}

// isInterpreter reports, by the program's name, whether a process runs a language interpreter that runs one thread at
// a time.
func isInterpreter(p *analyze.Process) bool {
	name := strings.ToLower(path.Base(p.Program))
	return strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pypy") || strings.HasPrefix(name, "ruby")
}
