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

// Processors is what is known of how the threads that took part used processors, in their working time.
type Processors struct {
	Covered  analyze.Nanos   // thread time of which it is known
	Ran      analyze.Nanos   // on a processor
	Waited   analyze.Nanos   // could run and had none; analyze.NotKnown where the system does not tell
	Computed analyze.Nanos   // of ran, what was not in Metal's calls
	Wake     analyze.Nanos   // median time from a completion being seen to the return of the wait for it
	LateWake analyze.Nanos   // what a tenth of these times exceed
	Wakes    int             // of so many
	Count    int             // that the program has: those of the machine, or fewer that it is confined to
	Others   analyze.CPUTime // of all threads of other programs, meanwhile
	confined bool            // to fewer than the machine has, which they fill: by an affinity, or by a quota

	Used       analyze.Nanos // processor time of the processes; 0 when not known
	Wall       analyze.Nanos // the trace's window, once for each process
	OneAtATime bool          // a process is an interpreter that runs one thread at a time
	total      analyze.Nanos // working time of the threads
}

// confinedTo says whether programs that used so many processors' time, in each sample, and waited for so many, fill a
// number of processors that is less than the machine's. One that uses a whole number by chance does not wait for more
// as long as it runs, or not in every sample as many.
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
	return int(n), statistics.Median(off) <= policy.Negligible.Value
}

// Known says whether the samples tell enough of the threads' time, with what they waited for processors.
func (p *Processors) Known() bool {
	return p.Waited != analyze.NotKnown && p.Covered > 0 && policy.AtLeast(policy.Most, p.Covered, p.total)
}

// Starved says whether threads lack processors: by what they waited for them, which need only be no chance where the
// program fills those that it is confined to, or, where that is not known, by how late they wake.
func (p *Processors) Starved() bool {
	if p.Known() {
		waited := Share(p.Waited, p.Covered)
		return waited >= policy.LargeShare.Value || waited >= policy.ChanceShare.Value && p.confined
	}
	return p.Wakes >= policy.Sample.Count() && p.Wake >= policy.Launch.Nanos()
}

// UseOfProcessors finds how the threads that took part used processors.
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
	// In Metal's calls, as elsewhere, a thread runs and waits for a processor in the same proportion.
	if wanted := p.Ran + max(0, p.Waited); wanted > metal {
		p.Computed = analyze.Nanos(float64(p.Ran) * (1 - Share(metal, wanted)))
	}
	used, waited, window := processorsUsed(submitters.Taking)
	p.Count, p.Others = trace.Source.Processors, trace.OthersIn(window)
	left := p.Count - int(math.Round(Share(p.Others.Ran, p.Others.Covered))) // by other programs
	if whole, confined := confinedTo(used, waited, left); confined {
		p.Count, p.confined = whole, true
	}
	p.addWakes(trace)
	p.addProcesses(trace, submitters.Taking)
	return p
}

// addProcesses sums the processes of the threads that took part.
func (p *Processors) addProcesses(trace *analyze.Trace, taking []*ThreadTime) {
	seen := map[*analyze.Process]bool{}
	for _, t := range taking {
		if of := t.Thread.Process; of != nil && !seen[of] {
			seen[of] = true
			p.Used += of.CPU
			p.Wall += trace.Window.Length()
			p.OneAtATime = p.OneAtATime || isInterpreter(of)
		}
	}
}

// processorsUsed is how many processors' time the processes of the threads that took part had, while those worked, in
// each sample of one of them, and for how many their threads waited.
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

// addWakes finds how long after the tracer's completion handler a wait returns.
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
		p.LateWake = all[p.Wakes-1-p.Wakes/policy.Quick]
	}
}

// isInterpreter says whether a process is a language interpreter that runs one thread at a time.
func isInterpreter(p *analyze.Process) bool {
	name := strings.ToLower(path.Base(p.Program))
	return strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pypy") || strings.HasPrefix(name, "ruby")
}
