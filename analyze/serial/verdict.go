package serial

import (
	"fmt"
	"slices"

	"mtrace/analyze"
)

// A Verdict names the cause that explains the most lost thread time.
type Verdict struct {
	Cause      string
	Share      float64   // of the threads' time; with None, what the program loses to another one
	Confidence float64   // 0…1
	Summary    string    // one sentence
	Causes     []Finding // those that hold, the largest first
	RuledOut   []Finding // those that do not
	Together   *Together // what removing the two largest would bring; nil when there are not two, or they were not replayed
}

// Together is the predicted speed-up if two causes were removed.
type Together struct {
	Causes [2]string
	Speedup
}

const (
	// enoughShare is how much of the threads' time a cause must explain to be the verdict.
	enoughShare = 0.10
	// enoughBuffers is how many command buffers it takes to give one.
	enoughBuffers = 10
)

// decide asks each rule and takes the cause that explains the most.
func (a *Analysis) decide(f *facts) {
	v := &a.Verdict
	v.Cause = None
	for _, r := range rules {
		if found := r(a, f); found.Holds {
			f.found[found.Cause] = found.Lost
			v.Causes = append(v.Causes, found)
		} else {
			v.RuledOut = append(v.RuledOut, found)
		}
	}
	slices.SortStableFunc(v.Causes, func(x, y Finding) int { return compare(y.weight(), x.weight()) })
	if reason := a.tooLittle(f); reason != "" {
		v.Summary = "Not enough data for a verdict: " + reason + "."
		return
	}
	beside := 0
	for beside < len(v.Causes) && v.Causes[beside].beside(f) {
		beside++
	}
	if beside > 0 { // they are told last, whatever they cost threads that have no part in the rest
		v.Causes = append(slices.Clone(v.Causes[beside:]), v.Causes[:beside]...)
	}
	if beside == len(v.Causes) || f.share(v.Causes[0].weight()) < enoughShare {
		v.Confidence = a.trust(0.7)
		if v.Summary = a.noCause(f); beside > 0 {
			h := &v.Causes[len(v.Causes)-beside]
			v.Summary = fmt.Sprintf("Threads that submit next to nothing lose %s of all thread time to %s; those that submit have work in flight for %s of theirs, and nothing serializes them that this trace can show.",
				percent(f.share(h.Lost)), h.Cause, percent(f.occupied))
		}
		return
	}
	top := &v.Causes[0]
	if v.Share = min(1, f.share(top.Lost)); !top.outside {
		v.Cause = top.Cause
	}
	margin := 1.0
	if len(v.Causes) > 1 {
		margin = 1 - share(v.Causes[1].weight(), top.weight())
	}
	v.Confidence = a.trust(top.Confidence * (0.6 + 0.4*margin))
	v.Summary = summaries[top.Cause](a, f, top)
}

// occupied is the share of the time with work in flight from which on threads are not held up by those that submit nothing.
const occupied = 0.7

// beside says whether what threads wait for is not what the GPU's work waits for: they submit next to nothing, and those that do
// submit have work in flight all the while.
func (f *Finding) beside(all *facts) bool {
	return f.aside && all.occupied >= occupied && (f.Cause == LockContention || f.Cause == CompileBound)
}

// confess adds to the verdict that the tracer did not see everything, where it knows that.
func (a *Analysis) confess() {
	if commits := a.Trace.Commits(); commits.Seen < commits.Made {
		a.Verdict.Summary += fmt.Sprintf(" But the tracer saw only %d of %d commits: this is about those.", commits.Seen, commits.Made)
	}
}

// tooLittle says what is missing for a verdict; empty when nothing is.
func (a *Analysis) tooLittle(f *facts) string {
	switch {
	case len(a.Trace.CommandBuffers) == 0:
		return "there is no command buffer in the trace"
	case f.total == 0:
		return "no thread committed or waited"
	case a.Trace.Lost.Records*2 > a.Trace.Events: // a third of all
		return fmt.Sprintf("%d of %d calls were lost, among them, it may be, those that matter; record with --on-full block", a.Trace.Lost.Records, a.Trace.Events+a.Trace.Lost.Records)
	case len(a.Trace.CommandBuffers) < enoughBuffers && f.found[CompileBound]*2 < f.total:
		return fmt.Sprintf("%d command buffers are too few", len(a.Trace.CommandBuffers))
	}
	return ""
}

// trust lowers a confidence when the trace is not whole.
func (a *Analysis) trust(c float64) float64 {
	t := a.Trace
	if t.Source.Truncated {
		c *= 0.9
	}
	if seen, known := t.Commits().Share(); known {
		c *= seen
	}
	if t.Lost.Records > 0 {
		c *= 1 - min(0.5, 5*float64(t.Lost.Records)/float64(t.Events+t.Lost.Records))
	}
	return c
}

func (a *Analysis) noCause(f *facts) string {
	if h := a.handover; h != nil && !h.holds() && h.mayAnswer >= enoughReplies {
		return fmt.Sprintf("Nothing in this trace serializes the threads for certain. But thread %d makes all commits, and others wait for its signal, %d times: if they wait for answers, and not for work, it serializes them%s.",
			h.to.ID, h.mayAnswer, f.busyWords("; the GPU was busy for %s"))
	}
	if outside := f.share(a.Sum(analyze.PartOutside)); outside > 0.5 {
		idle := analyze.Nanos(0)
		for _, t := range f.threads {
			idle += min(t.SignalWaits, t.Working)
		}
		if idle := f.share(idle); idle > 0.1 {
			return fmt.Sprintf("Nothing in this trace serializes the threads, but they spend %s of their time outside of Metal, %s of it waiting for a signal of another thread, as threads do that have no work%s.",
				percent(outside), percent(min(1, idle/outside)), f.busyWords("; the GPU was busy for %s"))
		}
		return fmt.Sprintf("Nothing in this trace serializes the threads, but they spend %s of their time outside of Metal, where the trace does not look%s.",
			percent(outside), f.busyWords("; the GPU was busy for %s"))
	}
	if running := f.share(a.Sum(analyze.PartWaitExecuting)); running > 0.5 {
		return fmt.Sprintf("Nothing serializes the threads that this trace can show: for %s of their time they wait while their own work runs on the GPU%s.",
			percent(running), f.busyWords(", which was busy for %s"))
	}
	s := fmt.Sprintf("Nothing serializes the threads that this trace can show: of the time of %s, %s went to waiting for others%s.",
		plural(len(f.threads), "thread"), percent(f.share(a.Sum(analyze.PartWaitForeign)+a.Sum(analyze.PartWaitQueuedOther)+a.Sum(analyze.PartLock))),
		f.busyWords(", and the GPU was busy for %s"))
	return s
}

// summaries are the verdicts in one sentence.
var summaries = map[string]func(a *Analysis, f *facts, top *Finding) string{
	GPUSaturated: func(a *Analysis, f *facts, top *Finding) string {
		waiting := "waiting for it"
		if top.unseen > 0 && top.unseen*3 > top.explains {
			waiting = "with work in flight"
		}
		return fmt.Sprintf("The GPU is the limit: it was busy for %s of the time, and threads spent %s of theirs %s.", percent(f.busy),
			percent(min(1, f.share(max(top.explains, top.Lost+a.Sum(analyze.PartWaitExecuting))))), waiting)
	},
	DeviceWideSync: func(a *Analysis, f *facts, top *Finding) string {
		return fmt.Sprintf("Threads wait for everybody's work, not only for their own: that costs %s of their time%s.", percent(f.share(top.Lost)),
			f.busyWords(", while the GPU is busy for %s of it"))
	},
	SingleSubmitter: func(a *Analysis, f *facts, top *Finding) string {
		return fmt.Sprintf("One thread submits the work of all, and the others wait for it for %s of all thread time.", percent(f.share(top.Lost)))
	},
	LockContention: func(a *Analysis, f *facts, top *Finding) string {
		if top.turns {
			return fmt.Sprintf("Threads take turns in waiting for the GPU, though nothing is queued for it, as those who share a lock do: that costs %s of their time.", percent(f.share(top.Lost)))
		}
		return fmt.Sprintf("Threads wait for a lock for %s of their time: %s.", percent(f.share(top.Lost)), top.Evidence[0])
	},
	InterpreterLock: func(a *Analysis, f *facts, top *Finding) string {
		return fmt.Sprintf("Threads wait for the interpreter's lock for %s of their time.", percent(f.share(top.Lost)))
	},
	QueueDepth: func(a *Analysis, f *facts, top *Finding) string {
		return fmt.Sprintf("Threads wait for a free command buffer for %s of their time: their queue holds as many as it may.", percent(f.share(top.Lost)))
	},
	LaunchBound: func(a *Analysis, f *facts, top *Finding) string {
		launch, work := a.typicalLaunch()
		return fmt.Sprintf("The work is too small: a command buffer keeps the GPU busy for %s, and handing it over and hearing back takes %s.", work, launch)
	},
	CompileBound: func(a *Analysis, f *facts, top *Finding) string {
		return fmt.Sprintf("Threads spend %s of their time making libraries and pipeline states.", percent(min(1, f.share(top.Lost))))
	},
	EventChain: func(a *Analysis, f *facts, top *Finding) string {
		if top.byThreads {
			return fmt.Sprintf("Command buffers wait on the GPU for events that threads signal late: threads lose %s of their time to that.", percent(f.share(top.Lost)))
		}
		return fmt.Sprintf("Command buffers wait for each other's events on the GPU: threads lose %s of their time to that.", percent(f.share(top.Lost)))
	},
	HeadOfLine: func(a *Analysis, f *facts, top *Finding) string {
		if top.behind {
			return fmt.Sprintf("Command buffers stand behind other threads' in a queue, though the GPU has room for them: threads lose %s of their time to that.", percent(f.share(top.Lost)))
		}
		return fmt.Sprintf("Command buffers that were enqueued and committed late hold up those behind them: threads lose %s of their time to that.", percent(f.share(top.Lost)))
	},
	CompletionHandlers: func(a *Analysis, f *facts, top *Finding) string {
		return fmt.Sprintf("Slow completion handlers hold up threads: they lose %s of their time to that.", percent(f.share(top.Lost)))
	},
	ForeignGPULoad: func(a *Analysis, f *facts, top *Finding) string {
		return fmt.Sprintf("Work that was ready waited for a GPU that ran nothing of this program: that costs %s of the threads' time. Another program has the GPU.",
			percent(f.share(top.Lost)))
	},
	CPUBound: cpuSummary,
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func queueName(q *analyze.Queue) string {
	if q == nil {
		return "unknown"
	}
	if q.Label != "" {
		return fmt.Sprintf("%q", q.Label)
	}
	return fmt.Sprint(q.ID)
}
