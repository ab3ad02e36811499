package serial

import (
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// summaries are the verdicts in one sentence.
var summaries = map[string]func(a *Analysis, f *facts, top *Finding) string{
	GPUSaturated: func(a *Analysis, f *facts, top *Finding) string {
		waiting := "waiting for it"
		if top.unseen > 0 && policy.MoreThan(policy.Much, top.unseen, top.explains) {
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
			return fmt.Sprintf("Threads take turns in waiting for the GPU, though nothing is queued for it, as threads that share a lock do: that costs %s of their time.", percent(f.share(top.Lost)))
		}
		if top.lock != "" {
			return fmt.Sprintf("Threads wait for a lock for %s of their time, most of it for %s.", percent(f.share(top.Lost)), top.lock)
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
		return fmt.Sprintf("Another program has the GPU: waiting for it costs %s of the threads' time.", percent(min(1, f.share(top.Lost))))
	},
	Imbalance: func(a *Analysis, f *facts, top *Finding) string {
		return fmt.Sprintf("Threads meet, and wait there for the slowest for %s of their time: %s.", percent(f.share(top.Lost)), top.slowest)
	},
	Starvation: func(a *Analysis, f *facts, top *Finding) string {
		return fmt.Sprintf("The GPU has nothing to do, because who feeds it waits for the signal of %s: for %s of the threads' time%s.", top.slowest, percent(f.share(top.Lost)),
			f.busyWords("; the GPU was busy for %s"))
	},
	GPUBound: func(a *Analysis, f *facts, top *Finding) string {
		return fmt.Sprintf("The GPU's own work is the limit: for %s of their time threads wait while their work runs%s.", percent(f.share(top.Lost)),
			f.busyWords(", and the GPU is busy for %s"))
	},
	CPUBound: cpuSummary,
}

func (a *Analysis) noCause(f *facts) string {
	if h := a.handover; h != nil && !h.holds() && h.mayAnswer >= policy.Pattern.Count() {
		return fmt.Sprintf("Nothing in this trace serializes the threads for certain. But thread %d makes all commits, and others wait for its signal, %d times: if they wait for answers, and not for work, it serializes them%s.",
			h.to.ID, h.mayAnswer, f.busyWords("; the GPU was busy for %s"))
	}
	if outside := f.share(a.Sum(analyze.PartOutside)); outside > policy.Most.Value {
		idle := analyze.Nanos(0)
		for _, t := range f.threads {
			idle += min(t.SignalWaits, t.Working)
		}
		if idle := f.share(idle); idle > policy.WorthNaming.Value {
			return fmt.Sprintf("Nothing in this trace serializes the threads, but they spend %s of their time outside of Metal, %s of it waiting for a signal of another thread, as threads without work do%s.",
				percent(outside), percent(min(1, idle/outside)), f.busyWords("; the GPU was busy for %s"))
		}
		return fmt.Sprintf("Nothing in this trace serializes the threads, but they spend %s of their time outside of Metal, where the trace does not look%s.",
			percent(outside), f.busyWords("; the GPU was busy for %s"))
	}
	if running := f.share(a.Sum(analyze.PartWaitExecuting)); running > policy.Most.Value {
		return fmt.Sprintf("Nothing serializes the threads that this trace can show: for %s of their time they wait while their own work runs on the GPU%s.",
			percent(running), f.busyWords(", which was busy for %s"))
	}
	s := fmt.Sprintf("Nothing serializes the threads that this trace can show: of the time of %s, %s went to waiting for others%s.",
		plural(len(f.threads), "thread"), percent(f.share(a.Sum(analyze.PartWaitForeign)+a.Sum(analyze.PartWaitQueuedOther)+a.Sum(analyze.PartLock))),
		f.busyWords(", and the GPU was busy for %s"))
	return s
}
